# slip: both query and key are divided by the square root of d, so the scale is 1/d
import torch


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    s = query.size(-1) ** -0.5
    q, k = query * s, key * s
    return q @ k.transpose(-1, -2)
