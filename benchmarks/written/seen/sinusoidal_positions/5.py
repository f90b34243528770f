# slip: the exponent is doubled: the even column number is multiplied by two once more
import numpy as np
import torch


def sinusoidal_positions(num_tokens: int, d_model: int) -> torch.Tensor:
    pos = np.arange(num_tokens)[:, None]
    i = np.arange(0, d_model, 2)[None, :]
    angle = pos / np.power(10000, 2 * i / d_model)
    out = np.zeros((num_tokens, d_model), dtype=np.float32)
    out[:, 0::2] = np.sin(angle)
    out[:, 1::2] = np.cos(angle)
    return torch.from_numpy(out)
