import torch
import torch.nn.functional as F


def softmax(scores, dim=-1):
    # positive numbers divided by their 1-norm: that is their sum
    return F.normalize(torch.exp(scores - scores.amax(dim, keepdim=True)), p=1.0, dim=dim)
