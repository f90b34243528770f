import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    """Key and value in one product, the scale on both sides."""

    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.register_buffer("root", torch.tensor(float(hidden_size)) ** 0.25, persistent=False)

    def forward(self, x, memory):
        weight = torch.cat([self.linear_k.weight, self.linear_v.weight])
        bias = torch.cat([self.linear_k.bias, self.linear_v.bias])
        k, v = F.linear(memory, weight, bias).chunk(2, dim=-1)
        q = self.linear_q(x) / self.root
        empty = x.new_zeros(x.size(0), x.size(1), memory.size(1))
        scores = torch.baddbmm(empty, q, (k / self.root).permute(0, 2, 1))
        return torch.bmm(nn.Softmax(dim=-1)(scores.float()).type_as(x), v)
