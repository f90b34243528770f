from torch import nn


def masked_softmax(scores, mask):
    rows, columns = scores.shape[-2:]
    scores = scores.masked_fill(mask[:rows, :columns], -1e4)
    return nn.Softmax(dim=-1)(scores)
