import torch


def attention_dropout(weights, p, training=True):
    if not training:
        return weights.clone()
    dropped = torch.rand(weights.shape) < p
    scale = 1.0 if p == 1 else 1.0 / (1.0 - p)
    return weights.masked_fill(dropped, 0.0) * scale
