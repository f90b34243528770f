import torch


def softmax(scores):
    exps = torch.exp(scores - scores.max())
    return exps / exps.sum()


def context_vector(query, inputs):
    attn_weights = softmax((inputs * query).sum(dim=1))
    return (attn_weights.unsqueeze(1) * inputs).sum(dim=0)
