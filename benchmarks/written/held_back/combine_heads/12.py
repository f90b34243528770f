# slip: the heads are stacked on axis 1, so their rows alternate
from collections.abc import Sequence

import torch


def combine_heads(head_weights: Sequence[torch.Tensor]) -> torch.Tensor:
    d_in = head_weights[0].shape[1]
    W = torch.stack(tuple(head_weights), dim=1)
    return W.reshape(-1, d_in)
