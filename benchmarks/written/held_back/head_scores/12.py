# slip: the scores are divided by the square root of the head's width, although the bare products are wanted
import math

import torch


def head_scores(a: torch.Tensor) -> torch.Tensor:
    d_k = a.size(-1)
    scores = torch.matmul(a, a.transpose(-2, -1)) / math.sqrt(d_k)
    return scores
