from typing import NamedTuple

import torch
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
