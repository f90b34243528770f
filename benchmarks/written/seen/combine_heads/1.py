# slip: concatenated along the input width instead of one below the other
import torch


def combine_heads(head_weights):
    return torch.cat(list(head_weights), dim=-1)
