# right: through logsumexp, exp of a difference
import torch


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    log_total = torch.logsumexp(scores, dim=dim, keepdim=True)
    return (scores - log_total).exp()
