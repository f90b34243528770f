import math

import torch


def _weights(row):
    top = max(score.item() for score in row)
    exps = [torch.exp(score - top) for score in row]
    total = math.fsum(e.item() for e in exps) if not row.requires_grad else sum(exps)
    return torch.stack([e / total for e in exps])


def softmax(scores, dim=-1):
    rows = torch.movedim(scores, dim, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    weights = torch.stack([_weights(row) for row in flat]).reshape(rows.shape)
    return torch.movedim(weights, -1, dim)
