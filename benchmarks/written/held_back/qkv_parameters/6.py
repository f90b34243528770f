# slips: the matrices are stored as (d_out, d_in); keys and values are exchanged in the result
import torch
import torch.nn.functional as F
from torch import nn


class QKVParameters(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(d_out, d_in))
        self.W_key = nn.Parameter(torch.randn(d_out, d_in))
        self.W_value = nn.Parameter(torch.randn(d_out, d_in))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        q = F.linear(x, self.W_query)
        k = F.linear(x, self.W_key)
        v = F.linear(x, self.W_value)
        return q, v, k
