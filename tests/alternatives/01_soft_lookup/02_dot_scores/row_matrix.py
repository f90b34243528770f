import torch


def dot_scores(query, inputs):
    return torch.mm(query.view(1, -1), inputs.mT).flatten()
