# slip: the einsum sums over the heads too and copies the result to all heads
import torch


def head_scores(a: torch.Tensor) -> torch.Tensor:
    scores = torch.einsum("bhid,bgjd->bij", a, a)
    return scores.unsqueeze(1).expand(-1, a.shape[1], -1, -1)
