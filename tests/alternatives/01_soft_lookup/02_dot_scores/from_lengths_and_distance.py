import torch


def dot_scores(query, inputs):
    """2 a·b = |a|² + |b|² - |a - b|², in float64 for the sake of the differences."""
    q, x = query.double(), inputs.double()
    apart = (x - q).square().sum(-1)
    return ((q.square().sum() + x.square().sum(-1) - apart) / 2).type_as(inputs)
