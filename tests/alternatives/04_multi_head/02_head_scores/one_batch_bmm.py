import torch


def head_scores(a):
    b, h, n, d = a.shape
    flat = a.reshape(b * h, n, d)
    return torch.bmm(flat, flat.transpose(1, 2)).view(b, h, n, n)
