# slips: the input's axes are swapped in place; a batch of one loses its batch axis to squeeze
import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    x.transpose_(1, 2)
    return x.flatten(2).squeeze()
