import torch


def repeat_kv(x, n_rep):
    return x[:, torch.arange(x.size(1) * n_rep) // n_rep]
