# slips: the new latents are put in front of the cached ones; no causal mask when there is a cache
import torch
import torch.nn.functional as F
from torch import nn


class LatentAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        c = self.kv_down(x)
        if cache is not None:
            c = torch.cat([c, cache], dim=1)
        hidden_shape = (x.shape[0], -1, x.shape[2] // self.head_dim, self.head_dim)
        q = self.q_proj(x).view(hidden_shape).transpose(1, 2)
        k = self.k_up(c).view(hidden_shape).transpose(1, 2)
        v = self.v_up(c).view(hidden_shape).transpose(1, 2)
        attn = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
        return self.o_proj(attn.transpose(1, 2).reshape(x.shape)), c
