import torch
import torch.nn.functional as F
from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        for name in ["linear_k", "linear_v", "linear_q"]:
            self.add_module(name, nn.Linear(hidden_size, hidden_size))
        self.softmax = nn.Softmax(dim=2)
        self.scaling = torch.rsqrt(torch.tensor(float(hidden_size)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        layers = (self.linear_q, self.linear_k, self.linear_v)
        weight, bias = torch.cat([m.weight for m in layers]), torch.cat([m.bias for m in layers])
        query, key, value = F.linear(x, weight, bias).split(x.size(-1), dim=-1)
        return self.softmax((query * self.scaling).matmul(key.mT)).matmul(value)
