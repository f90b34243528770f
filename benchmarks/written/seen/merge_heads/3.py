# slip: view on the transposed tensor without contiguous, which raises
import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    batch, heads, tokens, width = x.shape
    return x.transpose(1, 2).view(batch, tokens, heads * width)
