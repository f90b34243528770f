# slip: the last n rows and columns of the mask are used instead of the first n
import torch
import torch.nn.functional as F


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    n = scores.size(-1)
    cropped = mask[-n:, -n:]
    s = scores.to(torch.float32).masked_fill(cropped, float("-inf"))
    return F.softmax(s, dim=-1).to(scores.dtype)
