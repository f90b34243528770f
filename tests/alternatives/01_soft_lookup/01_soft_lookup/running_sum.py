import torch


def soft_lookup(weights, values):
    if len(weights) != len(values):
        raise ValueError("one weight a value")
    total = torch.zeros_like(values[0])
    for i in range(weights.shape[0]):
        total = total + weights[i] * values[i]
    return total
