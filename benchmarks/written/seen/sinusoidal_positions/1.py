# slip: sines in the first half and cosines in the second instead of side by side
import torch


def sinusoidal_positions(num_tokens, d_model):
    inv_freq = 1.0 / (10000 ** (torch.arange(0, d_model, 2).float() / d_model))
    angles = torch.outer(torch.arange(num_tokens).float(), inv_freq)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
