import torch


def additive_mask(max_seq_len):
    return torch.tril(torch.ones(1, max_seq_len, max_seq_len)).log()
