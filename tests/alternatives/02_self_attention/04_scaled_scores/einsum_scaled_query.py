import math

import torch


def scaled_scores(query, key):
    d = query.size(-1)
    if key.size(-1) != d:
        raise ValueError("query and key must have the same width")
    return torch.einsum("...qd,...kd->...qk", query / math.sqrt(d), key)
