import torch


def dot_scores(query, inputs):
    assert inputs.ndim == 2 and query.ndim == 1
    return torch.linalg.vecdot(inputs, query.expand_as(inputs), dim=1)
