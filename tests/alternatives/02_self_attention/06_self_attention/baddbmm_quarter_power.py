import torch
from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)

    def forward(self, x):
        b, n, d = x.size()
        root = d**0.25
        q, k, v = self.linear_q(x) / root, self.linear_k(x) / root, self.linear_v(x)
        scores = torch.baddbmm(x.new_zeros(b, n, n), q, k.permute(0, 2, 1))
        return torch.bmm(nn.Softmax(dim=-1)(scores.float()).type_as(x), v)
