# slip: the result is transposed, (d_in, h * d_head) instead of (h * d_head, d_in)
from collections.abc import Sequence

import torch


def combine_heads(head_weights: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.cat([w.T for w in head_weights], dim=1)
