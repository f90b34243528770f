from collections.abc import Sequence
import torch


def combine_heads(head_weights):
    """What all heads together make of each unit vector is a column of the matrix."""
    x = torch.eye(head_weights[0].shape[-1]).type_as(head_weights[0])
    return torch.concat([torch.nn.functional.linear(x, weight) for weight in head_weights], dim=-1).t()
