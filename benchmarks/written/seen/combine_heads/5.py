# slip: wrapped in a new nn.Parameter from data, so that gradients do not reach the heads' matrices
from collections.abc import Sequence

import torch
from torch import nn


def combine_heads(head_weights: Sequence[torch.Tensor]) -> torch.Tensor:
    d_head, d_in = head_weights[0].shape
    combined = nn.Linear(d_in, d_head * len(head_weights), bias=False, dtype=head_weights[0].dtype)
    with torch.no_grad():
        for i, w in enumerate(head_weights):
            combined.weight[i * d_head : (i + 1) * d_head] = w
    return combined.weight
