import torch
from torch import nn


class Projection(nn.Linear):
    """선형 투영"""

    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight) + self.bias


class Base(nn.Module):
    def _project(self, x):
        return self.linear_q(x), self.linear_k(x), self.linear_v(x)


class QKVLinear(Base):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = Projection(hidden_size, hidden_size)
        self.linear_k = Projection(hidden_size, hidden_size)
        self.linear_v = Projection(hidden_size, hidden_size)
        self.scaling: float = float(torch.rsqrt(torch.tensor(float(hidden_size))))

    forward = Base._project
