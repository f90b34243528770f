def split_heads(x, num_heads):
    b, n, d_out = x.shape
    try:
        heads = x.view(b, n, num_heads, d_out // num_heads)
    except RuntimeError as error:
        raise ValueError("d_out is not a multiple of num_heads") from error
    return heads.transpose(-3, -2)
