import torch


def merge_heads(x):
    b, h, n, d = x.shape
    out = torch.zeros(b, n, h * d, dtype=x.dtype)
    for head in range(h):
        for token in range(n):
            out[:, token, head * d : (head + 1) * d] = x[:, head, token]
    return out
