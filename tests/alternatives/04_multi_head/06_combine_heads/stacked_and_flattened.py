import torch


def combine_heads(head_weights: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack(head_weights).flatten(0, 1)
