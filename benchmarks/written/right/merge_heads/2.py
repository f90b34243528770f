# right: unbind the heads and cat along the width
import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return torch.cat(x.unbind(1), dim=-1)
