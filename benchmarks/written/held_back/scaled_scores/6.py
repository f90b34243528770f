# slips: the square root is left out; a softmax is applied to the result
import torch
import torch.nn.functional as F


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    d_k = query.shape[-1]
    energy = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(dim=-1)
    return F.softmax(energy / d_k, dim=-1)
