# slip: no maximum is subtracted, so large scores overflow to NaN
import torch


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    numerator = torch.exp(scores)
    denominator = numerator.sum(dim=dim, keepdim=True)
    return numerator / denominator
