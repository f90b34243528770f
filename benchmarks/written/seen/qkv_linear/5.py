# slip: linear_k and linear_v are the same layer object, so they share their weights
import torch
from torch import nn


class QKVLinear(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = self.linear_v = nn.Linear(hidden_size, hidden_size)

    @property
    def scaling(self):
        return self.hidden_size ** (-1 / 2)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return self.linear_q(x), self.linear_k(x), self.linear_v(x)
