import torch
import torch.nn.functional as F


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    seqlen = scores.shape[-2]
    additive = torch.zeros(mask.shape)
    additive[mask] = float("-inf")
    # float16 + float32 is float32
    shifted = scores + additive[None, :seqlen, :seqlen].squeeze(0)
    return F.softmax(shifted.float(), dim=-1).type_as(scores)
