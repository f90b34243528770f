import torch


def apply_padding_mask(scores, attention_mask):
    b, h, q, k = scores.shape
    attention_mask = attention_mask.unsqueeze(1).unsqueeze(2).expand(b, h, q, k)
    return scores.masked_fill(attention_mask == 0, float("-inf"))
