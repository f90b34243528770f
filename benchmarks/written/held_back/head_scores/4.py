# slip: the scores are divided by the square root of the head's width although bare products are asked
import math

import torch


def head_scores(a: torch.Tensor) -> torch.Tensor:
    bsz, heads, seq, hs = a.size()
    att = (a @ a.transpose(-2, -1)) * (1.0 / math.sqrt(hs))
    return att
