ALTERNATIVES = {
    "as_in_the_document": """\
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
""",
    "broadcast_and_sum": """\
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
""",
    "numpy_and_linear_function": """\
from collections import namedtuple

import numpy as np
import torch.nn.functional as F

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
""",
    "one_fused_product": """\
class QKVParameters(torch.nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        start = torch.randn(3, d_in, d_out) / d_in**0.5
        self.W_query, self.W_key, self.W_value = (nn.Parameter(part.clone()) for part in start)

    def forward(self, x):
        weight = torch.cat((self.W_query, self.W_key, self.W_value), dim=1)
        return (x @ weight).chunk(3, dim=-1)
""",
    "rows_in_one_matrix": """\
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
""",
    "xavier_and_einsum": """\
class QKVParameters(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        for name in ("W_value", "W_key", "W_query"):
            self.register_parameter(name, nn.Parameter(torch.empty(d_in, d_out)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for parameter in self.parameters():
            nn.init.xavier_uniform_(parameter)

    def forward(self, x):
        return [torch.einsum("...i,io->...o", x, weight) for weight in (self.W_query, self.W_key, self.W_value)]
""",
}
