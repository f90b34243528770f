import torch


def repeat_kv(x, n_rep):
    return torch.stack([x] * n_rep, 2).flatten(1, 2)
