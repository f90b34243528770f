import torch.nn.functional as F
from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_q = nn.Linear(hidden_size, hidden_size)

    def forward(self, x):
        return F.scaled_dot_product_attention(self.linear_q(x), self.linear_k(x), self.linear_v(x))
