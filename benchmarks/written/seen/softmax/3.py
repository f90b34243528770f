# slip: the shares come from 2 ** score instead of exp(score)
import torch


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    shifted = scores - torch.max(scores, dim=dim, keepdim=True).values
    powers = torch.exp2(shifted)
    return powers.div(powers.sum(dim=dim, keepdim=True))
