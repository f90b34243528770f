# slip: the result stays float32 for half precision input
import torch
import torch.nn.functional as F


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    T = scores.shape[-1]
    att = scores.masked_fill(mask[:T, :T], -torch.inf)
    if att.dtype == torch.float64:
        return F.softmax(att, dim=-1)
    return F.softmax(att, dim=-1, dtype=torch.float32)
