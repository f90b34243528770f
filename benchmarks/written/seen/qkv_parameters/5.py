# slip: the document's sizes 3 and 2 are hard-coded instead of d_in and d_out
import torch
from torch import nn


class QKVParameters(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.W_query = torch.nn.Parameter(torch.rand(3, 2))
        self.W_key = torch.nn.Parameter(torch.rand(3, 2))
        self.W_value = torch.nn.Parameter(torch.rand(3, 2))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        outs = [x.matmul(W) for W in (self.W_query, self.W_key, self.W_value)]
        return tuple(outs)
