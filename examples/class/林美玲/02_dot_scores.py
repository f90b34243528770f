import torch


def dot_scores(query, inputs):
    n, d = inputs.shape
    scores = torch.bmm(inputs.reshape(n, 1, d), query.expand(n, d).reshape(n, d, 1))
    return scores[:, 0, 0]
