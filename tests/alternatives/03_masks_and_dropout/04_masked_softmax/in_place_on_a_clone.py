import torch


def masked_softmax(scores, mask):
    work = scores.clone().float()
    n = work.size(-1)
    work.masked_fill_(mask[..., :n, :n].expand_as(work), -torch.inf)
    return work.softmax(work.dim() - 1).to(scores.dtype)
