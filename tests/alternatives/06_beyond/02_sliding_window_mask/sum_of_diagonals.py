import torch


def sliding_window_mask(num_tokens, window):
    mask = torch.ones(num_tokens, num_tokens, dtype=torch.uint8)
    for back in range(min(window, num_tokens)):
        mask.diagonal(-back).zero_()
    return mask > 0
