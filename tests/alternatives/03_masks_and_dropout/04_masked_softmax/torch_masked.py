import torch
from torch import masked


def masked_softmax(scores, mask):
    n = scores.shape[-1]
    visible = ~mask[:n, :n].expand(scores.shape)
    return masked.softmax(scores, -1, mask=visible, dtype=torch.float32).to(scores.dtype)
