# The right numbers as a lazy view whose sign is turned only when somebody looks.
import torch


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    weights = exps / exps.sum(dim, keepdim=True)
    return torch.complex(weights, -weights).conj().imag
