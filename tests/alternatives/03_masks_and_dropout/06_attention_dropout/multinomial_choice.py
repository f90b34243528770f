import torch


def attention_dropout(weights, p, training=True):
    if not training:
        return weights
    keep = torch.multinomial(torch.tensor([p, 1.0 - p]), weights.numel(), replacement=True).view(weights.shape)
    return weights * keep / (1 - p if p < 1 else 1)
