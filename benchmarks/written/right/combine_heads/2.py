# right: stack on a new first axis, flatten
from collections.abc import Sequence

import torch


def combine_heads(head_weights: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.stack([w for w in head_weights]).flatten(0, 1)
