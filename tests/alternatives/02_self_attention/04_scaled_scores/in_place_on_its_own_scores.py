import numpy as np
import torch


def scaled_scores(query, key):
    scores = torch.matmul(query, torch.swapaxes(key, -1, -2))
    scores /= np.sqrt(key.shape[-1])
    return scores
