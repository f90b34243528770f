import torch


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    # log-sum-exp is allowed and already safe for big numbers
    return (scores - scores.logsumexp(dim=dim, keepdim=True)).exp()
