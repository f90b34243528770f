# slip: positions start at one
import math

import torch


def sinusoidal_positions(num_tokens: int, d_model: int) -> torch.Tensor:
    pe = torch.zeros(num_tokens, d_model)
    position = torch.arange(1, num_tokens + 1).unsqueeze(1).float()
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * -(math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe
