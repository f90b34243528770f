import torch
from torch import nn


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
