import math

import torch


def additive_mask(max_seq_len):
    rows = []
    for query in range(max_seq_len):
        rows.append([-math.inf if key > query else 0.0 for key in range(max_seq_len)])
    return torch.tensor([rows])
