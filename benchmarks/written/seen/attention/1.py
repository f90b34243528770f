# slip: scaled by the width of the values instead of that of query and key
import math

import torch
import torch.nn.functional as F


def attention(query, key, value, dropout=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = value.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    p_attn = F.softmax(scores, dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn
