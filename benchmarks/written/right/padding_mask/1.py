# right: a loop over the batch, keys taken apart and put together again
import torch


def apply_padding_mask(scores: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    result = []
    for sequence, tokens in zip(scores.unbind(0), attention_mask.bool().unbind(0)):
        bias = torch.zeros(tokens.shape, dtype=scores.dtype)
        bias[~tokens] = float("-inf")
        result.append(sequence + bias)
    return torch.stack(result)
