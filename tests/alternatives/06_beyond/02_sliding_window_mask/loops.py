import torch


def sliding_window_mask(num_tokens, window):
    mask = torch.full((num_tokens, num_tokens), True)
    for i in range(num_tokens):
        mask[i, max(0, i - window + 1) : i + 1] = False
    return mask
