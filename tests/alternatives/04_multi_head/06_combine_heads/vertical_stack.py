import torch


def combine_heads(head_weights):
    return torch.vstack(head_weights)
