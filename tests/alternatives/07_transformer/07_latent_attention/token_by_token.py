import math

import torch
from torch import nn


class LatentAttention(nn.Module):
    """Reads one token after the other, each with the latents up to itself: no mask at all."""

    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        self.head_dim, rest = divmod(hidden_dim, nums_head)
        if rest:
            raise AssertionError(f"{hidden_dim} / {nums_head}")
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        latents = x.new_zeros(len(x), 0, self.kv_down.out_features) if cache is None else cache
        outs = []
        for token in x.unbind(1):
            latents = torch.cat([latents, self.kv_down(token)[:, None]], 1)
            heads = []
            for q, k, v in zip(
                self.q_proj(token).split(self.head_dim, -1),
                self.k_up(latents).split(self.head_dim, -1),
                self.v_up(latents).split(self.head_dim, -1),
            ):
                scores = (k * q[:, None]).sum(-1) / math.sqrt(self.head_dim)
                weights = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
                heads.append((weights[..., None] * v).sum(1))
            outs.append(self.o_proj(torch.cat(heads, -1)))
        return torch.stack(outs, 1), latents
