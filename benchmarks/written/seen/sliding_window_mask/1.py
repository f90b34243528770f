# slip: the window is one too long, each token sees window tokens besides itself
import torch


def sliding_window_mask(num_tokens, window):
    i = torch.arange(num_tokens).unsqueeze(1)
    j = torch.arange(num_tokens).unsqueeze(0)
    return (j > i) | (i - j > window)
