def merge_heads(x):
    b, h, n, d = x.size()
    return x.permute(0, 2, 1, 3).reshape(b, n, h * d)
