import torch
from torch import nn


class QKVParameters(torch.nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        start = torch.randn(3, d_in, d_out) / d_in**0.5
        self.W_query, self.W_key, self.W_value = (nn.Parameter(part.clone()) for part in start)

    def forward(self, x):
        weight = torch.cat((self.W_query, self.W_key, self.W_value), dim=1)
        return (x @ weight).chunk(3, dim=-1)
