# slip: heads and tokens are swapped first, so heads are compared within each token instead of tokens within each head
import torch


def head_scores(a):
    return a.transpose(1, 2) @ a.transpose(1, 2).transpose(-2, -1)
