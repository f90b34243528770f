import torch
from torch import nn


class QKVParameters(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
        self.W_key = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
        self.W_value = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)

    def forward(self, inputs):
        keys = torch.matmul(inputs, self.W_key)
        queries = torch.matmul(inputs, self.W_query)
        values = torch.matmul(inputs, self.W_value)
        return queries, keys, values
