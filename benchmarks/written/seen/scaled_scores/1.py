# slip: scaled by the number of keys instead of the width
import math

import torch


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    key_t = key.transpose(-2, -1)
    d_k = key_t.size(-1)
    return torch.matmul(query, key_t) / math.sqrt(d_k)
