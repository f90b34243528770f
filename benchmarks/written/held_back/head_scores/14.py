# slips: a softmax is taken over the scores; the key side is detached
import torch
import torch.nn.functional as F


def head_scores(a: torch.Tensor) -> torch.Tensor:
    queries = a
    keys = a.detach()
    attn = queries @ keys.permute(0, 1, 3, 2)
    return F.softmax(attn, dim=-1)
