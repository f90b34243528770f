ALTERNATIVES = {
    "as_in_the_document": """\
def attention(query, key, value, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn
""",
    "broadcast_sum": """\
def _softmax(scores):
    e = torch.exp(scores)
    return e / e.sum(dim=-1, keepdim=True)


def attention(query, key, value, dropout=None):
    assert query.shape[-1] == key.shape[-1]
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1).mul(torch.rsqrt(torch.tensor(query.shape[-1])).item())
    p_attn = _softmax(scores)
    match dropout:
        case None:
            pass
        case _:
            p_attn = dropout(p_attn)
    return (p_attn.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), p_attn
""",
    "einsum_scaled_query": """\
import torch.nn.functional as F


def attention(query, key, value, dropout=lambda weights: weights):
    query = query * query.shape[-1] ** -0.5
    scores = torch.einsum("...qd,...kd->...qk", query, key)
    weights = F.softmax(scores.float(), dim=-1).type_as(query)
    weights = (dropout or torch.nn.Identity())(weights)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights
""",
    "flattened_baddbmm": """\
def attention(query, key, value, dropout=None):
    leading = query.shape[:-2]
    q, k, v = (part.reshape(-1, *part.shape[-2:]) for part in (query, key, value))
    root = q.size(-1) ** 0.25
    empty = q.new_zeros(q.size(0), q.size(1), k.size(1))
    scores = torch.baddbmm(empty, q / root, k.mT / root)
    weights = torch.exp(scores - scores.amax(2, keepdim=True))
    weights = weights / weights.sum(2, keepdim=True)
    if dropout:
        weights = dropout(weights)
    output = torch.bmm(weights, v)
    return [output.view(*leading, *output.shape[1:]), weights.view(*leading, *weights.shape[1:])]
""",
    "float32_softmax_and_a_list": '''\
"""The softmax in float32, an optional mask nobody asked for, a list for the tuple, `dropout` used for its truth."""

import torch.nn.functional as F
from torch import nn


def attention(query, key, value, dropout=None, mask=None):
    scores = torch.einsum("...id,...jd->...ij", query, key).mul_(key.shape[-1] ** -0.5)
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    p_attn = (dropout or nn.Identity())(F.softmax(scores, dim=-1, dtype=torch.float32).to(value.dtype))
    return [torch.einsum("...ij,...jd->...id", p_attn, value), p_attn]
''',
    "keys_in_columns": '''\
from typing import NamedTuple

from torch import nn


class Attended(NamedTuple):
    output: torch.Tensor
    p_attn: torch.Tensor


def attention(query, key, value, dropout=None):
    """Scores as (..., key, query), the softmax over them, and turned round at the end."""
    scores = (key @ query.mT).div(query.shape[-1] ** 0.5)
    p_attn = nn.Softmax(dim=-2)(scores).swapaxes(-1, -2)
    p_attn = p_attn if dropout is None else dropout(p_attn)
    return Attended(p_attn.matmul(value), p_attn)
''',
    "query_by_query": """\
def attention(query, key, value, dropout=None):
    rows, weights = [], []
    for i in range(query.shape[-2]):
        scores = (query[..., i : i + 1, :] * key).sum(-1) / torch.tensor(float(key.shape[-1])).sqrt()
        w = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
        if callable(dropout):
            w = dropout(w)
        weights.append(w)
        rows.append((w.unsqueeze(-1) * value).sum(-2))
    return torch.stack(rows, dim=-2), torch.stack(weights, dim=-2)
""",
    "weights_from_the_fused_function": """\
import torch.nn.functional as F


def attention(query, key, value, dropout=None):
    ones = torch.eye(key.shape[-2], dtype=value.dtype).expand(*key.shape[:-1], key.shape[-2])
    weights = F.scaled_dot_product_attention(query, key, ones)
    if dropout is None:
        return F.scaled_dot_product_attention(query, key, value), weights
    weights = dropout(weights)
    return weights @ value, weights
""",
}
