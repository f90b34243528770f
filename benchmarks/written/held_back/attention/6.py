# slips: the softmax runs over the queries; the scale is forgotten
import torch
import torch.nn.functional as F


def attention(query, key, value, dropout=None):
    scores = torch.matmul(query, torch.transpose(key, -1, -2))
    p_attn = F.softmax(scores, dim=-2)
    if dropout is not None:
        p_attn = dropout(p_attn)
    output = torch.matmul(p_attn, value)
    return output, p_attn
