import torch


def attention_dropout(weights, p, training=True):
    """At p = 1 the grown weights are infinite, but none of them is taken."""
    if training is False:
        return weights
    keep = torch.rand_like(weights) < 1 - p
    return torch.where(keep, weights / (1 - p), torch.zeros_like(weights))
