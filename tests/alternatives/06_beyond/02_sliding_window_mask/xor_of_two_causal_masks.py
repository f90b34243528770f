import torch


def causal(n, diagonal):
    return torch.ones(n, n).triu(diagonal) == 1


def sliding_window_mask(num_tokens, window):
    return ~(causal(num_tokens, 1 - window) ^ causal(num_tokens, 1))
