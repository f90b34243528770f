# right: absorbed form, scores against the latents themselves, with a loop over the heads
import torch
from torch import nn


class LatentAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError("indivisible")
        self.h = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        z = self.kv_down(x)
        if cache is not None:
            z = torch.cat([cache, z], 1)
        n, m = x.shape[1], z.shape[1]
        seen = torch.ones(n, m, dtype=torch.bool).tril(m - n)
        out = 0
        parts = zip(*(w.chunk(self.h) for w in (self.q_proj.weight, self.k_up.weight, self.v_up.weight)), self.o_proj.weight.chunk(self.h, 1))
        for wq, wk, wv, wo in parts:
            s = (x @ wq.T @ wk @ z.mT) / wq.shape[0] ** 0.5
            p = s.masked_fill(~seen, float("-inf")).softmax(-1)
            out = out + p @ z @ wv.T @ wo.T
        return out, z
