# slip: the two sequences are exchanged: query from memory, key and value from x
import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.scaling = hidden_size ** -0.5

    def forward(self, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        query = self.linear_q(memory)
        key = self.linear_k(x)
        value = self.linear_v(x)
        weights = F.softmax(query @ key.transpose(1, 2) * self.scaling, dim=-1)
        return weights @ value
