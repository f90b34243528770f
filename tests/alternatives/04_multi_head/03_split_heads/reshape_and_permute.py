def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"{num_heads} heads cannot share a width of {x.shape[-1]}")
    return x.reshape(x.size(0), x.size(1), num_heads, -1).permute(0, 2, 1, 3).contiguous()
