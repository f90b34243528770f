# slip: the maximum is subtracted in place, so the caller's scores change
import torch


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    max_val, _ = scores.max(dim, keepdim=True)
    scores -= max_val
    exp_x = torch.exp(scores)
    return exp_x / exp_x.sum(dim, keepdim=True)
