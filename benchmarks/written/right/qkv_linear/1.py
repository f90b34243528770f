# right: one fused F.linear over stacked weights and biases, then chunk
import torch
import torch.nn.functional as F
from torch import nn


class QKVLinear(nn.Module):
    scaling: float

    def __init__(self, hidden_size: int):
        super().__init__()
        for n in "qkv":
            self.add_module(f"linear_{n}", nn.Linear(hidden_size, hidden_size))
        self.scaling = pow(hidden_size, -0.5)

    def forward(self, x: torch.Tensor):
        layers = (self.linear_q, self.linear_k, self.linear_v)
        w = torch.cat([layer.weight for layer in layers])
        b = torch.cat([layer.bias for layer in layers])
        return F.linear(x, w, b).chunk(3, dim=-1)
