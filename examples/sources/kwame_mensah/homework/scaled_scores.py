import math

import torch


def scaled_scores(query, key):
    d = query.shape[-1]
    return torch.matmul(query, key.transpose(-2, -1)).div(math.sqrt(d))
