# slip: the mask is applied after the softmax, rows do not sum to 1 any more
import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    n = scores.shape[-1]
    weights = torch.softmax(scores.float(), dim=-1)
    weights = weights.masked_fill(mask[:n, :n], 0.0)
    return weights.type_as(scores)
