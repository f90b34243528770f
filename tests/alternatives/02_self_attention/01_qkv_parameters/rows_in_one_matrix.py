import torch
from torch import nn


class Projection:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        rows = x.reshape(-1, x.shape[-1])
        return torch.mm(rows, self.weight).view(*x.shape[:-1], self.weight.shape[1])


class QKVParameters(nn.Module):
    def __init__(self, d_in, d_out):
        nn.Module.__init__(self)
        torch.manual_seed(123)
        bound = 1 / d_in**0.5
        self.W_query = nn.Parameter(torch.empty(d_in, d_out).uniform_(-bound, bound))
        self.W_key = nn.Parameter(torch.empty(d_in, d_out).uniform_(-bound, bound))
        self.W_value = nn.Parameter(torch.empty(d_in, d_out).uniform_(-bound, bound))

    def forward(self, x):
        return Projection(self.W_query)(x), Projection(self.W_key)(x), Projection(self.W_value)(x)
