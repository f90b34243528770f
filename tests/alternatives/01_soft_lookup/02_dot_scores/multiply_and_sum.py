import torch


def dot_scores(query, inputs):
    return (inputs * query).sum(dim=-1)
