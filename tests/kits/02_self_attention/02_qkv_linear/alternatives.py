ALTERNATIVES = {
    "einsum_and_a_scalar_tensor": """\
class QKVLinear(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_q = nn.Linear(in_features=hidden_size, out_features=hidden_size, bias=True)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.register_buffer("scaling", torch.tensor(float(hidden_size)).rsqrt(), persistent=False)

    @staticmethod
    def project(layer, x):
        return torch.einsum("...i,oi->...o", x, layer.weight) + layer.bias

    def forward(self, x):
        query = self.project(self.linear_q, x)
        key = self.project(self.linear_k, x)
        value = self.project(self.linear_v, x)
        return query, key, value
""",
    "flattened_addmm": """\
def apply(linear: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    rows = x.reshape(-1, x.size(-1))
    return torch.addmm(linear.bias, rows, linear.weight.t()).view(*x.shape[:-1], -1)


class QKVLinear(nn.Module):
    scaling: float

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        assert hidden_size > 0
        for part in ("q", "k", "v"):
            setattr(self, "linear_" + part, nn.Linear(hidden_size, hidden_size))
        self.scaling = pow(hidden_size, -0.5)

    def forward(self, x: torch.Tensor):
        query, key, value = (apply(getattr(self, "linear_" + part), x) for part in "qkv")
        return query, key, value
""",
    "linear_subclass": '''\
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
''',
    "lists_and_a_property": """\
class QKVLinear(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.linear_q, self.linear_k, self.linear_v = [nn.Linear(hidden_size, hidden_size) for _ in range(3)]

    @property
    def scaling(self):
        return 1.0 / self.hidden_size**0.5

    def forward(self, x):
        return [layer(x) for layer in [self.linear_q, self.linear_k, self.linear_v]]
""",
    "numpy_root_and_a_named_tuple": """\
from typing import NamedTuple

import numpy as np


class Projections(NamedTuple):
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor


class Projection(nn.Linear):
    def __init__(self, width):
        super().__init__(width, width)
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)


class QKVLinear(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = Projection(hidden_size)
        self.linear_k = Projection(hidden_size)
        self.linear_v = Projection(hidden_size)
        self.dropout = nn.Dropout(0.0)
        self.scaling = 1 / np.sqrt(hidden_size)

    def forward(self, x):
        return Projections(query=self.linear_q(x), key=self.linear_k(x), value=self.linear_v(x))
""",
    "one_fused_product": '''\
import math

import torch.nn.functional as F


class QKVLinear(torch.nn.Module):
    """All three in one matrix product."""

    def __init__(self, hidden_size):
        super().__init__()
        for name in "vkq":
            self.add_module(f"linear_{name}", torch.nn.Linear(hidden_size, hidden_size))
        self.scaling = 1 / math.sqrt(hidden_size)

    def forward(self, x):
        layers = self.linear_q, self.linear_k, self.linear_v
        weight = torch.cat([layer.weight for layer in layers])
        bias = torch.cat([layer.bias for layer in layers])
        return F.linear(x, weight, bias).chunk(3, dim=-1)
''',
}
