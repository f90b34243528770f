import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    n = scores.shape[-1]
    hidden = mask[:n, :n
    filled = scores.masked_fill(hidden, -torch.inf)
    return torch.softmax(filled, dim=-1)
