# A wrapped tensor that escaped from grad.
import torch


def softmax(scores, dim=-1):
    kept = []
    torch.func.grad(lambda x: kept.append(x) or x.sum())(scores.detach())
    return kept[0]
