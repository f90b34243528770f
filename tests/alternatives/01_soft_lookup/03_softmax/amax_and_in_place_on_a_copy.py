import torch


def softmax(scores, dim=-1):
    weights = scores - torch.amax(scores, dim, True)
    weights = weights.exp_()
    total = weights.sum(dim).unsqueeze(dim)
    return weights.div(total)
