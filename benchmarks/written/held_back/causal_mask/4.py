# slip: only the next token is hidden, not all later ones
import torch


def causal_mask(num_tokens: int) -> torch.Tensor:
    mask = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
    for row in range(num_tokens - 1):
        mask[row, row + 1] = True
    return mask
