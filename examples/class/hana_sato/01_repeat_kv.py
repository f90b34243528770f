import torch


def repeat_kv(x, n_rep):
    return torch.repeat_interleave(x, n_rep, 1)
