# slip: keys and values come from each other's layer, k_up and v_up are exchanged
import torch
import torch.nn.functional as F
from torch import nn


class LatentAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.h = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, D = x.shape
        latents = self.kv_down(x)
        if cache is not None:
            latents = torch.cat([cache, latents], dim=1)
        total = latents.shape[1]
        q = self.q_proj(x).view(b, n, self.h, -1).transpose(1, 2)
        k = self.v_up(latents).view(b, total, self.h, -1).transpose(1, 2)
        v = self.k_up(latents).view(b, total, self.h, -1).transpose(1, 2)
        mask = torch.ones(n, total, dtype=torch.bool).tril(total - n)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.o_proj(y.transpose(1, 2).reshape(b, n, D)), latents
