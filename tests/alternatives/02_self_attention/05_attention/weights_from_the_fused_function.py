import torch
import torch.nn.functional as F


def attention(query, key, value, dropout=None):
    ones = torch.eye(key.shape[-2], dtype=value.dtype).expand(*key.shape[:-1], key.shape[-2])
    weights = F.scaled_dot_product_attention(query, key, ones)
    if dropout is None:
        return F.scaled_dot_product_attention(query, key, value), weights
    weights = dropout(weights)
    return weights @ value, weights
