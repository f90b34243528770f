import torch


def apply_padding_mask(scores, attention_mask):
    by_sequence_and_key = scores.permute(1, 2, 0, 3)
    masked = by_sequence_and_key.masked_fill(~attention_mask.to(torch.bool), float("-inf"))
    return masked.permute(2, 0, 1, 3)
