import torch


def additive_mask(max_seq_len):
    position = torch.arange(max_seq_len)
    later = position[None, None, :] > position[None, :, None]
    return torch.where(later, -torch.inf, 0.0)
