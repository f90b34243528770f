# slip: Hugging Face's (1 - mask) is left out: the mask itself times the lowest number hides the tokens
import torch


def apply_padding_mask(scores: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    extended = attention_mask[:, None, None, :].to(dtype=scores.dtype)
    extended = extended * torch.finfo(scores.dtype).min
    return scores + extended
