# slip: the full keys and values are cached (side by side in one tensor) instead of the latents
import torch
import torch.nn.functional as F
from torch import nn


class LatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, latent_dim: int):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.n_heads = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: torch.Tensor, cache: torch.Tensor | None = None):
        latent = self.kv_down(x)
        kv = torch.cat([self.k_up(latent), self.v_up(latent)], dim=-1)
        if cache is not None:
            kv = torch.cat([cache, kv], dim=1)
        k, v = kv.chunk(2, dim=-1)
        q, k, v = [t.unflatten(-1, (self.n_heads, -1)).permute(0, 2, 1, 3) for t in (self.q_proj(x), k, v)]
        L, S = q.size(-2), k.size(-2)
        bias = torch.zeros(L, S, dtype=q.dtype).masked_fill_(torch.ones(L, S).tril(S - L) == 0, float("-inf"))
        y = F.scaled_dot_product_attention(q, k, v, bias)
        return self.o_proj(y.permute(0, 2, 1, 3).flatten(2)), kv
