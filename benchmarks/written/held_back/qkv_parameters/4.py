# slip: all three start as one and the same random matrix (cloned), not each drawn for itself
import torch
import torch.nn as nn


class QKVParameters(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        init = torch.randn(d_in, d_out) * 0.02
        self.W_query = nn.Parameter(init.clone())
        self.W_key = nn.Parameter(init.clone())
        self.W_value = nn.Parameter(init.clone())

    def forward(self, x):
        q = torch.einsum("...i,io->...o", x, self.W_query)
        k = torch.einsum("...i,io->...o", x, self.W_key)
        v = torch.einsum("...i,io->...o", x, self.W_value)
        return (q, k, v)
