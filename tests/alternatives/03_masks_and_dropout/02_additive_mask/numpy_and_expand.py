import numpy as np
import torch


def additive_mask(max_seq_len: int):
    mask = np.triu(np.full((max_seq_len, max_seq_len), -np.inf), k=1)
    return torch.from_numpy(mask).float().expand(1, -1, -1)
