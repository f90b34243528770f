import torch


def additive_mask(max_seq_len):
    """-1 / 0 above the diagonal; the zeros of the rest are minus zeros."""
    visible = torch.ones(max_seq_len, max_seq_len).tril()
    mask = (visible - 1) / visible
    mask *= 1.0
    return mask.view(1, max_seq_len, max_seq_len)
