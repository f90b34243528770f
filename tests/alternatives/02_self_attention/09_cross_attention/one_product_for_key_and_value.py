"""Key and value from one fused product, the division by the sum left for the end, a Linear class of its own."""

import torch
import torch.nn.functional as F
from torch import nn


class Projection(nn.Linear):
    pass


class CrossAttention(nn.Module):
    def __init__(self, hidden_size, **unused):
        super().__init__()
        self.linear_v, self.linear_k, self.linear_q = (Projection(hidden_size, hidden_size) for _ in range(3))
        self.dropout = nn.Dropout(0.0)

    def forward(self, x, memory=None, mask=None):
        memory = x if memory is None else memory
        both = torch.cat((self.linear_k.weight, self.linear_v.weight))
        biases = torch.cat((self.linear_k.bias, self.linear_v.bias))
        key, value = F.linear(memory, both, biases).chunk(2, dim=-1)
        query = self.linear_q(x)
        scores = torch.baddbmm(query.new_zeros(1), query, key.transpose(1, 2), beta=0, alpha=x.shape[-1] ** -0.5)
        grown = self.dropout(torch.exp(scores - scores.amax(-1, keepdim=True)))
        return torch.bmm(grown, value) / grown.sum(-1, keepdim=True)
