# slip: nn.Softmax(dim=1) normalises over the queries of a batch
import torch
from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.dim = hidden_size
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        Q, K, V = self.linear_q(x), self.linear_k(x), self.linear_v(x)
        attn = torch.bmm(Q, K.transpose(1, 2)) / self.dim ** 0.5
        attn = self.softmax(attn)
        return torch.bmm(attn, V)
