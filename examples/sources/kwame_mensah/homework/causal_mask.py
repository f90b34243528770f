import torch


def causal_mask(num_tokens):
    rows = [[column > row for column in range(num_tokens)] for row in range(num_tokens)]
    return torch.tensor(rows, dtype=torch.bool)
