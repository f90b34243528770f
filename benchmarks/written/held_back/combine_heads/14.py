# slips: the matrix comes out transposed, (inputs, outputs); it is wrapped in a new Parameter, which cuts the gradients
from collections.abc import Sequence

import torch
from torch import nn


def combine_heads(head_weights: Sequence[torch.Tensor]) -> torch.Tensor:
    columns = [w.T for w in head_weights]
    return nn.Parameter(torch.cat(columns, dim=1))
