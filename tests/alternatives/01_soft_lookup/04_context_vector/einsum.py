import torch


def context_vector(query, inputs):
    scores = torch.einsum("d,nd->n", query, inputs)
    return torch.einsum("n,nd->d", scores.softmax(dim=0), inputs)
