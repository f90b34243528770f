import torch
import torch.nn.functional as F


def head_scores(a):
    return torch.stack([torch.stack([F.linear(head, head) for head in heads]) for heads in a.unbind(0)], dim=0)
