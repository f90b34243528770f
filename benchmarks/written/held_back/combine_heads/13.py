# slip: the result is made by torch.zeros without a dtype, so float64 weights come out as float32
from collections.abc import Sequence

import torch


def combine_heads(head_weights: Sequence[torch.Tensor]) -> torch.Tensor:
    h = len(head_weights)
    d_head, d_in = head_weights[0].shape
    combined = torch.zeros(h * d_head, d_in)
    for i, w in enumerate(head_weights):
        combined[i * d_head : (i + 1) * d_head, :] = w
    return combined
