import torch


def head_scores(a):
    b, h, n, _ = a.shape
    out = torch.empty(b, h, n, n, dtype=a.dtype)
    for i in range(n):
        for j in range(n):
            out[..., i, j] = torch.linalg.vecdot(a[:, :, i], a[:, :, j])
    return out
