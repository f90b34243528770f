# slip: a ReLU is applied to the three projections
import torch
import torch.nn as nn
import torch.nn.functional as F


class QKVLinear(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q, self.linear_k, self.linear_v = [
            nn.Linear(hidden_size, hidden_size) for _ in range(3)
        ]
        self.scaling = 1.0 / hidden_size**0.5

    def forward(self, x):
        return tuple(F.relu(layer(x)) for layer in (self.linear_q, self.linear_k, self.linear_v))
