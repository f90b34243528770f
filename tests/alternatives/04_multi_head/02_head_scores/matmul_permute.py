import torch


def head_scores(a: torch.Tensor) -> torch.Tensor:
    return torch.matmul(a, a.permute(0, 1, 3, 2))
