# slip: only trailing padding is handled: the keys are counted and everything from that place on is hidden
import torch


def apply_padding_mask(scores: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    lengths = attention_mask.long().sum(dim=1)
    positions = torch.arange(scores.shape[-1])
    hidden = positions[None, :] >= lengths[:, None]
    return scores.masked_fill(hidden[:, None, None, :], -torch.inf)
