# slip: stacked on a new axis, the axis of heads is never folded into the rows
from collections.abc import Sequence

import torch


def combine_heads(head_weights: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.stack(tuple(head_weights), dim=0)
