# right: exp of the difference to the maximum of the visible, hidden places multiplied away
import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    n = scores.shape[-1]
    keep = mask[:n, :n].logical_not()
    x = scores if scores.dtype == torch.float64 else scores.float()
    x = torch.where(keep, x, torch.full_like(x, -torch.inf))
    top = x.max(dim=-1, keepdim=True).values
    return (x - top.detach()).exp().div(torch.exp(x - top.detach()).sum(-1, keepdim=True)).to(scores.dtype)
