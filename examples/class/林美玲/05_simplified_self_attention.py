import torch


def simplified_self_attention(x):
    # XXᵀ is symmetric: softmax down the columns is the transpose of the softmax along the rows
    scores = torch.matmul(x, x.transpose(-1, -2))
    columns = torch.softmax(scores, dim=-2)
    return columns.transpose(-1, -2) @ x
