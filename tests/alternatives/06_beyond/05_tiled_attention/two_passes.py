import torch


def tiled_attention(query, key, value, block_size):
    """The first pass finds maximum and sum, the second one adds up the weighted values."""
    root = query.shape[-1] ** 0.5
    keys, values = key.split(block_size, dim=-2), value.split(block_size, dim=-2)
    maxima = [(query @ k.mT / root).amax(-1) for k in keys]
    top = torch.stack(maxima).amax(0).unsqueeze(-1)
    total = sum((query @ k.mT / root - top).exp().sum(-1, keepdim=True) for k in keys)
    return sum((query @ k.mT / root - top).exp() / total @ v for k, v in zip(keys, values))
