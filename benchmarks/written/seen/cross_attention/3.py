# slip: the softmax runs over the asking tokens (dim=1)
import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)

    def forward(self, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        b, lq, dim = x.shape
        q = self.linear_q(x) / dim ** 0.5
        k = self.linear_k(memory)
        v = self.linear_v(memory)
        energy = torch.bmm(q, k.permute(0, 2, 1))
        alpha = energy.softmax(dim=1)
        return torch.bmm(alpha, v)
