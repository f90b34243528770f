# slip: linear_v is never used, the raw x is mixed
import torch
import torch.nn.functional as F
from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        q = self.linear_q(hidden_states)
        k = self.linear_k(hidden_states)
        return F.scaled_dot_product_attention(q, k, hidden_states)
