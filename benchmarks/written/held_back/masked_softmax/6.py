# slips: hidden scores are set to 0; the mask is not cropped to the length of the scores
import torch
from torch import nn


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    allowed = (~mask).float()
    masked_scores = scores.float() * allowed
    return nn.Softmax(dim=-1)(masked_scores).type_as(scores)
