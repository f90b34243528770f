from collections import namedtuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

Projections = namedtuple("Projections", "queries keys values")


class QKVParameters(nn.Module):
    def __init__(self, d_in, d_out, seed=None):
        super().__init__()
        rng = np.random.default_rng(seed)

        def drawn():
            return nn.Parameter(torch.from_numpy(rng.normal(0.0, 0.02, (d_in, d_out))).float())

        self.W_query = drawn()
        self.W_key = drawn()
        self.W_value = drawn()
        self.d_out = d_out
        self.register_buffer("calls", torch.zeros(()), persistent=False)

    def forward(self, x):
        return Projections(*(F.linear(x, w.t()) for w in (self.W_query, self.W_key, self.W_value)))
