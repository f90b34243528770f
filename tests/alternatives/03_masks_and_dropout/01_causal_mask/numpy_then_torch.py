import numpy as np
import torch


def causal_mask(num_tokens):
    return torch.from_numpy(np.triu(np.ones((num_tokens, num_tokens), dtype=bool), k=1))
