# slips: each matrix is transposed and the product viewed back, rows and columns mixed; the last head comes first
from collections.abc import Sequence

import torch


def combine_heads(head_weights: Sequence[torch.Tensor]) -> torch.Tensor:
    h = len(head_weights)
    d_head, d_in = head_weights[0].shape
    flipped = [head_weights[h - 1 - i].t() for i in range(h)]
    return torch.cat(flipped, dim=0).reshape(h * d_head, d_in)
