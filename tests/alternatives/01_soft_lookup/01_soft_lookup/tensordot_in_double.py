import torch


def soft_lookup(weights, values):
    return torch.tensordot(weights.double(), values.double(), dims=1).to(values.dtype)
