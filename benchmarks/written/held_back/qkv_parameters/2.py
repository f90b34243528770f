# slip: the tuple comes back in the order keys, queries, values
import torch
from torch import nn


class QKVParameters(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            w = nn.Parameter(torch.empty(d_in, d_out))
            nn.init.xavier_uniform_(w)
            setattr(self, name, w)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        keys = torch.matmul(x, self.W_key)
        queries = torch.matmul(x, self.W_query)
        values = torch.matmul(x, self.W_value)
        return keys, queries, values
