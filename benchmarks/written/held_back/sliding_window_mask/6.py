# slips: blocks instead of a window that slides, a token sees only its own block; the result is float
import torch


def sliding_window_mask(num_tokens: int, window: int) -> torch.Tensor:
    block = torch.arange(num_tokens) // window
    same = block[:, None] == block[None, :]
    causal = torch.ones(num_tokens, num_tokens).tril().bool()
    return 1.0 - (same & causal).float()
