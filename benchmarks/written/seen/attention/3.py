# slip: the dropout is applied to the scores, before the softmax
import math

import torch
from torch import nn


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, dropout=None):
    logits = torch.einsum("...id,...jd->...ij", query, key) / math.sqrt(key.size(-1))
    if dropout:
        logits = dropout(logits)
    p_attn = nn.Softmax(dim=-1)(logits)
    output = torch.einsum("...ij,...jd->...id", p_attn, value)
    return output, p_attn
