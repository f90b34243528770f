import numpy as np
import torch

rng = np.random.default_rng()


def attention_dropout(weights, p, training=True):
    if not training or p == 0:
        return weights
    keep = torch.from_numpy(np.asarray(rng.random(tuple(weights.shape)) >= p))
    kept = weights * keep.to(weights.dtype)
    return kept if p == 1 else kept * (1 - p) ** -1
