import numpy as np
import torch


def sliding_window_mask(num_tokens, window):
    i, j = np.indices((num_tokens, num_tokens))
    return torch.from_numpy(np.logical_or(j > i, j < i - window + 1))
