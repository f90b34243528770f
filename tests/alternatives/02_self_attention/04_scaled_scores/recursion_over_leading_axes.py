import torch
import torch.nn.functional as F


def scaled_scores(query, key):
    if query.dim() > 2:
        return torch.stack([scaled_scores(q, k) for q, k in zip(query, key, strict=True)])
    # F.linear multiplies by the transpose of its second argument
    return F.linear(query, key) * query.shape[1] ** -0.5
