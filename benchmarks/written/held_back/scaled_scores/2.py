# slip: integer division in the exponent (1 // 2 is 0) makes the scale 1
import torch


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    d = query.shape[-1]
    scale = d ** (1 // 2)
    return torch.einsum("...qd,...kd->...qk", query, key) / scale
