# slip: the queries that are padding are masked (rows) instead of the keys
import torch


def apply_padding_mask(scores: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    rows = attention_mask[:, None, :, None]
    return scores.masked_fill(rows == 0, torch.finfo(scores.dtype).min)
