import torch


def combine_heads(head_weights):
    left = head_weights[:]
    result = left.pop(0)
    while left:
        result = torch.cat([result, left.pop(0)], dim=0)
    return result
