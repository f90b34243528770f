import torch


def dot_scores(query, inputs):
    if query.shape[-1] != inputs.shape[-1]:
        raise ValueError("query and inputs must have the same width")
    return torch.einsum("d,nd->n", query, inputs)
