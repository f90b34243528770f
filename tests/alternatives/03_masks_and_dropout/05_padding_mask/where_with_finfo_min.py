import torch


def apply_padding_mask(scores, attention_mask):
    keep = attention_mask.bool().view(scores.size(0), 1, 1, scores.size(-1))
    lowest = torch.full_like(scores, torch.finfo(scores.dtype).min)
    return torch.where(keep, scores, lowest)
