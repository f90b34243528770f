import torch


def head_scores(a):
    return torch.einsum("bhid,bhjd->bhij", a, a)
