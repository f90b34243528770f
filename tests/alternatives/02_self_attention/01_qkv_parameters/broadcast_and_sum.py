import torch
from torch import nn
from torch.nn.parameter import Parameter


def project(x, weight):
    return (x.unsqueeze(-1) * weight).sum(dim=-2)


class QKVParameters(nn.Module):
    W_query: torch.Tensor
    W_key: torch.Tensor
    W_value: torch.Tensor

    def __init__(self, d_in, d_out):
        super().__init__()
        generator = torch.Generator().manual_seed(7)
        for name in ["W_query", "W_key", "W_value"]:
            setattr(self, name, Parameter(torch.randint(-3, 4, (d_in, d_out), generator=generator) * 0.1))
        nn.init.orthogonal_(self.W_key)

    def forward(self, x):
        queries = project(x, self.W_query)
        keys = project(x, self.W_key)
        values = project(x, self.W_value)
        return (queries, keys, values)
