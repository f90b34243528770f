# slip: the softmax is already applied to what is returned
import torch


def apply_padding_mask(scores: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    is_pad = attention_mask.eq(0).unsqueeze(1).unsqueeze(2)
    masked = scores.masked_fill(is_pad, float("-inf"))
    return masked.softmax(dim=-1)
