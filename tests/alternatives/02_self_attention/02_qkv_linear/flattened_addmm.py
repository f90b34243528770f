import torch
from torch import nn


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
