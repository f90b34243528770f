import math

import torch


def sinusoidal_positions(num_tokens, d_model):
    rows = []
    for p in range(num_tokens):
        row = []
        for i in range(0, d_model, 2):
            angle = p / 10000 ** (i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows)
