# slips: the query is normalised to length 1; the scores are divided by the square root of d
import math

import torch
import torch.nn.functional as F


def dot_scores(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    d_k = query.size(-1)
    query = F.normalize(query, dim=-1)
    return (query @ inputs.transpose(0, 1)) / math.sqrt(d_k)
