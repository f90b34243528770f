import torch


def masked_softmax(scores, mask):
    n = scores.size(-1)
    hidden = mask[:n, :n]
    exact = scores.to(torch.float32)
    exact = torch.where(hidden, torch.finfo(torch.float32).min, exact)
    return exact.softmax(-1).type_as(scores)
