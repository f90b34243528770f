# slip: the far past is cut with diagonal=-window+1 in tril, so the window is one too short
import torch


def sliding_window_mask(num_tokens: int, window: int) -> torch.Tensor:
    causal = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)
    far = torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-window + 1)
    return (causal + far).bool()
