import torch


def apply_padding_mask(scores, attention_mask):
    ones = torch.ones(scores.shape[1:3])
    padding = torch.einsum("bk,hq->bhqk", attention_mask.logical_not().float(), ones)
    bias = torch.zeros(scores.shape).masked_fill(padding > 0.5, -torch.inf)
    return (scores.double() + bias).to(scores.dtype)
