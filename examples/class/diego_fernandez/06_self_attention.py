import torch
import torch.nn as nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.scaling = hidden_size**-0.5

    def forward(self, x):
        q = self.linear_q(x)
        k = self.linear_k(x)
        v = self.linear_v(x)
        scores = torch.bmm(q, k.transpose(1, 2)) * self.scaling
        weights = torch.softmax(scores, dim=1)
        return torch.bmm(weights, v)
