# slips: divided by d_model / 2 - 1 in the exponent as in tensor2tensor; a batch axis of one is put in front
import math

import torch


def sinusoidal_positions(num_tokens: int, d_model: int) -> torch.Tensor:
    half = d_model // 2
    step = math.log(10000.0) / max(half - 1, 1)
    freqs = torch.exp(torch.arange(half, dtype=torch.float32) * -step)
    args = torch.arange(num_tokens, dtype=torch.float32)[:, None] * freqs[None]
    emb = torch.stack((args.sin(), args.cos()), dim=-1).flatten(1)
    return emb.unsqueeze(0)
