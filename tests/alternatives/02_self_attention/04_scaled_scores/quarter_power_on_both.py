import torch


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    root = query.shape[-1] ** 0.25
    return torch.matmul(query / root, (key / root).mT)
