import torch


def combine_heads(head_weights):
    return torch.stack([row for weight in head_weights for row in weight])
