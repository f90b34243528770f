# slip: row and column exchanged, the past is hidden instead of the future
import torch


def causal_mask(num_tokens: int) -> torch.Tensor:
    pos = torch.arange(num_tokens)
    later = pos.unsqueeze(1) > pos.unsqueeze(0)
    return later
