import torch


def sliding_window_mask(num_tokens, window):
    ones = torch.ones(num_tokens, num_tokens)
    later = torch.triu(ones, diagonal=1)
    too_far = torch.tril(ones, diagonal=-window)
    return (later + too_far).bool()
