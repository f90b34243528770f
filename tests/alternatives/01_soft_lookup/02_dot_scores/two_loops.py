import torch


def _dot(a, b):
    total = 0
    for j in range(len(a)):
        total = total + a[j] * b[j]
    return total


def dot_scores(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    return torch.stack([_dot(query, row) for row in inputs])
