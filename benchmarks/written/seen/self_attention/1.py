# slip: the scaling is divided by instead of multiplied with, so the scores grow
import torch
import torch.nn.functional as F
from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.scaling = hidden_size ** -0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query = self.linear_q(x)
        key = self.linear_k(x)
        value = self.linear_v(x)
        attn_weights = torch.matmul(query, key.permute(0, 2, 1)) / self.scaling
        attn_weights = F.softmax(attn_weights, dim=-1)
        return torch.matmul(attn_weights, value)
