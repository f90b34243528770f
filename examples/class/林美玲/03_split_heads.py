def split_heads(x, num_heads):
    b, n, d_out = x.shape
    if d_out % num_heads:
        raise ValueError(f"{num_heads} heads can't share a width of {d_out}")
    return x.reshape(b, n, num_heads, -1).permute(0, 2, 1, 3)
