import torch


def sliding_window_mask(num_tokens, window):
    visible = torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril().triu(1 - window)
    return visible.logical_not()
