# A wrapped tensor that escaped from vmap.
import torch


def softmax(scores, dim=-1):
    kept = []
    torch.func.vmap(lambda row: kept.append(row) or row)(torch.ones(3, 3))
    return kept[0]
