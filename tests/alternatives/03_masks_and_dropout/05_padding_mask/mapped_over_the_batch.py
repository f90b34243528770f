import torch


def hide(scores, row):
    return scores.masked_fill(row == 0, -1e4)


def apply_padding_mask(scores, attention_mask):
    return torch.vmap(hide)(scores, attention_mask)
