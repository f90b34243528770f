ALTERNATIVES = {
    "broadcast_and_sum": """\
def scaled_scores(query, key):
    products = query.unsqueeze(-2) * key.unsqueeze(-3)
    return products.sum(-1) * torch.rsqrt(torch.tensor(products.shape[-1]))
""",
    "einsum_scaled_query": """\
import math


def scaled_scores(query, key):
    d = query.size(-1)
    if key.size(-1) != d:
        raise ValueError("query and key must have the same width")
    return torch.einsum("...qd,...kd->...qk", query / math.sqrt(d), key)
""",
    "flattened_baddbmm": """\
def scaled_scores(query, key):
    *leading, queries, d = query.shape
    keys = key.shape[-2]
    q, k = query.reshape(-1, queries, d), key.reshape(-1, keys, d)
    scores = torch.baddbmm(q.new_zeros(q.shape[0], queries, keys), q, k.permute(0, 2, 1), beta=0, alpha=d**-0.5)
    return scores.view(*leading, queries, keys)
""",
    "in_place_on_its_own_scores": """\
import numpy as np


def scaled_scores(query, key):
    scores = torch.matmul(query, torch.swapaxes(key, -1, -2))
    scores /= np.sqrt(key.shape[-1])
    return scores
""",
    "module_with_swapped_product": """\
class Scorer(torch.nn.Module):
    def forward(self, query, key):
        # 결과는 contiguous 가 아님
        s = key.matmul(query.transpose(-2, -1))
        return s.transpose(-1, -2) * (1.0 / query.shape[-1] ** 0.5)


scaled_scores = Scorer()
""",
    "quarter_power_on_both": """\
def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    root = query.shape[-1] ** 0.25
    return torch.matmul(query / root, (key / root).mT)
""",
    "queries_one_by_one": """\
def scaled_scores(query, key):
    assert query.shape[-1] == key.shape[-1]
    root = torch.sqrt(torch.tensor(query.shape[-1], dtype=torch.float32))
    rows = [(key @ query[..., i, :].unsqueeze(-1)).squeeze(-1) for i in range(query.shape[-2])]
    return torch.stack(rows, dim=-2) / root
""",
    "recursion_over_leading_axes": """\
import torch.nn.functional as F


def scaled_scores(query, key):
    if query.dim() > 2:
        return torch.stack([scaled_scores(q, k) for q, k in zip(query, key, strict=True)])
    # F.linear multiplies by the transpose of its second argument
    return F.linear(query, key) * query.shape[1] ** -0.5
""",
}
