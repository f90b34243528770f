import torch


def attention_dropout(weights, p, training=True):
    if training:
        mask = torch.bernoulli(torch.full_like(weights, 1 - p))
        weights = weights * mask / max(1 - p, 1e-12)
    return weights
