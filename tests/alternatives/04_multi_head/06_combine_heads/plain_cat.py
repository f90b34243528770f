import torch


def combine_heads(head_weights):
    return torch.cat(head_weights)
