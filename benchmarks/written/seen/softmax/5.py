# slip: a small epsilon of 1e-3 is added to the denominator, so the weights do not sum to 1
import torch


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    eps = 1e-3
    z = scores - scores.max(dim=dim, keepdim=True)[0]
    ez = torch.exp(z)
    return ez / (torch.sum(ez, dim=dim, keepdim=True) + eps)
