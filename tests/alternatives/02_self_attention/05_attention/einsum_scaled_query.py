import torch
import torch.nn.functional as F


def attention(query, key, value, dropout=lambda weights: weights):
    query = query * query.shape[-1] ** -0.5
    scores = torch.einsum("...qd,...kd->...qk", query, key)
    weights = F.softmax(scores.float(), dim=-1).type_as(query)
    weights = (dropout or torch.nn.Identity())(weights)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights
