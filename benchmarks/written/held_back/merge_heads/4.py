# slip: the heads are put one after the other along the tokens instead of along the width
import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return torch.cat(x.unbind(dim=1), dim=1)
