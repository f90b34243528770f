# slip: W_query is used for the keys as well
import torch
from torch import nn


class QKVParameters(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        queries = x @ self.W_query
        keys = x @ self.W_query
        values = x @ self.W_value
        return queries, keys, values
