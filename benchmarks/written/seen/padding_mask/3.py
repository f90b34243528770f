# slip: the scores are multiplied by the mask, so padding scores 0 and keeps some weight
import torch


def apply_padding_mask(scores: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    b, k = attention_mask.shape
    m = attention_mask.view(b, 1, 1, k).to(scores.dtype)
    return scores * m
