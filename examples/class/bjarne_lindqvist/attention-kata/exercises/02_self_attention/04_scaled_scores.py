import torch


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    scale = query.shape[-1] ** -0.5
    return torch.matmul(query * scale, torch.swapaxes(key, -1, -2))
