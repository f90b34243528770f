import random

import torch


def attention_dropout(weights, p, training=True):
    if not training:
        return weights
    factors = [0.0 if random.random() < p else 1 / (1 - p) for _ in range(weights.numel())]
    return weights * torch.tensor(factors, dtype=weights.dtype).reshape(weights.shape)
