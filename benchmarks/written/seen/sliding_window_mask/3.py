# slip: True means visible, the mask is inverted
import torch


def sliding_window_mask(num_tokens: int, window: int) -> torch.Tensor:
    ones = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    return torch.tril(ones) & torch.triu(ones, diagonal=-(window - 1))
