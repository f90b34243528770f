import math

import torch


def sinusoidal_positions(num_tokens, d_model):
    """As in torch's tutorial: all in float32, with exp and log."""
    pe = torch.zeros(num_tokens, d_model)
    position = torch.arange(0, num_tokens, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe
