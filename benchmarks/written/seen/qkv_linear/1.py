# slip: the layers are made without bias
import torch
from torch import nn


class QKVLinear(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size, bias=False)
        self.linear_k = nn.Linear(hidden_size, hidden_size, bias=False)
        self.linear_v = nn.Linear(hidden_size, hidden_size, bias=False)
        self.scaling = hidden_size ** -0.5

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return self.linear_q(x), self.linear_k(x), self.linear_v(x)
