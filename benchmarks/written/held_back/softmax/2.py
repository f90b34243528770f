# slip: the maximum is taken along the last axis whatever `dim` says
import torch


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    m = scores.amax(dim=-1, keepdim=True)
    e = (scores - m).exp()
    return e / e.sum(dim, keepdim=True)
