# slip: the mask is transposed, rows are keys and columns are queries
import torch


def sliding_window_mask(num_tokens: int, window: int) -> torch.Tensor:
    mask = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    for i in range(num_tokens):
        start = max(0, i - window + 1)
        mask[start : i + 1, i] = False
    return mask
