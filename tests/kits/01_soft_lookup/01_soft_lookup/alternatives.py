ALTERNATIVES = {
    "diagonal_matrix": """\
def soft_lookup(weights, values):
    scaled = torch.diag(weights) @ values
    return torch.stack(tuple(scaled)).sum(0)
""",
    "einsum": """\
def soft_lookup(weights, values):
    return torch.einsum("n,n...->...", weights, values)
""",
    "embedding_bag": """\
from torch.nn import functional as F


def _look_up(weights, table):
    everyone = torch.arange(table.shape[0])
    return F.embedding_bag(everyone[None], table, mode="sum", per_sample_weights=weights[None])[0]


def soft_lookup(weights, values):
    if values.dim() == 1:
        return _look_up(weights, values[:, None])[0]
    return _look_up(weights, values)
""",
    "in_place_on_a_copy": """\
def soft_lookup(weights, values):
    picked = values.clone()
    picked.T.mul_(weights)  # .T lays the keys along the last axis
    return torch.cumsum(picked, dim=0)[-1]
""",
    "linear_layer_without_layer": """\
import torch.nn.functional as F


def soft_lookup(weights, values):
    rows = values.view(values.shape[0], -1)
    out = F.linear(weights.unsqueeze(0), rows.t()).squeeze(0)
    return out.reshape(values.shape[1:])
""",
    "new_axis_and_sum": """\
def soft_lookup(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    if values.dim() == 2:
        weights = weights[:, None]
    return torch.mul(weights, values).sum(dim=0)
""",
    "python_sum_of_pairs": """\
def soft_lookup(weights, values):
    return sum(w * v for w, v in zip(weights, values))
""",
    "running_sum": """\
def soft_lookup(weights, values):
    if len(weights) != len(values):
        raise ValueError("one weight a value")
    total = torch.zeros_like(values[0])
    for i in range(weights.shape[0]):
        total = total + weights[i] * values[i]
    return total
""",
    "tensordot_in_double": """\
def soft_lookup(weights, values):
    return torch.tensordot(weights.double(), values.double(), dims=1).to(values.dtype)
""",
    "two_products": """\
def soft_lookup(weights, values):
    assert weights.dim() == 1
    return torch.dot(weights, values) if values.ndim == 1 else torch.mv(values.T, weights)
""",
}
