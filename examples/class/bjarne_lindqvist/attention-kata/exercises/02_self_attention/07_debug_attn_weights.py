# I understood it better by writing it once more from the start.
import torch
from torch import nn
from torch.nn import functional as F


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.scaling = 1 / hidden_size**0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.linear_q(x), self.linear_k(x), self.linear_v(x)
        logits = self.scaling * (q @ k.transpose(1, 2))
        return F.softmax(logits, dim=2) @ v
