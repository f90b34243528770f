# slips: the mask of the first sequence is used for the whole batch; padding is only lowered by 100
import torch


def apply_padding_mask(scores: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    mask = attention_mask[0].to(scores.dtype)
    bias = (1.0 - mask) * -100.0
    return scores + bias
