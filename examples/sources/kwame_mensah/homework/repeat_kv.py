import torch


def repeat_kv(x, n_rep):
    # each head n_rep times, one after the other
    return torch.stack([x] * n_rep, dim=2).flatten(1, 2)
