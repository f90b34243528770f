# slip: the matrices are put side by side along the input width instead of one below the other
from collections.abc import Sequence

import torch


def combine_heads(head_weights: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.cat(list(head_weights), dim=-1)
