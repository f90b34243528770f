# slip: the transpose after the view is forgotten, heads stay behind the tokens
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    *lead, width = x.shape
    assert width % num_heads == 0, "width is not divisible"
    return x.view(*lead, num_heads, width // num_heads)
