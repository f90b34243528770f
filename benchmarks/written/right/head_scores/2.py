# right: loop over the heads, stack
import torch


def head_scores(a: torch.Tensor) -> torch.Tensor:
    per_head = []
    for head in a.unbind(dim=1):
        per_head.append(head @ head.transpose(1, 2))
    return torch.stack(per_head, dim=1)
