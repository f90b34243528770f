# slip: reshape is used where a transpose is needed
import torch


def head_scores(a: torch.Tensor) -> torch.Tensor:
    b, h, n, d = a.shape
    at = a.reshape(b, h, d, n)
    return torch.matmul(a, at)
