# slips: each row is renormalised to sum to 1 after the dropping; `training` is ignored
import torch


def attention_dropout(weights: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
    keep_mask = (torch.rand_like(weights) > p).type_as(weights)
    kept = weights * keep_mask
    return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-9)
