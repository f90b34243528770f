import torch


def causal_mask(num_tokens: int):
    position = torch.arange(num_tokens)
    return position[None, :] > position[:, None]
