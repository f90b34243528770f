import torch


def masked_softmax(scores, mask):
    n = scores.shape[-1]
    weights = torch.softmax(scores.float(), dim=-1)
    weights = weights.masked_fill(mask[:n, :n], 0.0)
    return weights.to(scores.dtype)
