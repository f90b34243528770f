# right: all columns as sines with a phase of half pi at the odd ones, in float64
import math

import torch


def sinusoidal_positions(num_tokens, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    odd = column % 2
    angle = torch.arange(num_tokens, dtype=torch.float64)[:, None] * 10000.0 ** (-(column - odd) / d_model)
    return torch.sin(angle + odd * math.pi / 2).float()
