import torch
import torch.nn.functional as F
from torch import nn


class LatentAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        assert not hidden_dim % nums_head
        self.nums_head = nums_head
        shapes = {
            "q_proj": (hidden_dim, hidden_dim),
            "kv_down": (hidden_dim, latent_dim),
            "k_up": (latent_dim, hidden_dim),
            "v_up": (latent_dim, hidden_dim),
            "o_proj": (hidden_dim, hidden_dim),
        }
        for name, shape in shapes.items():
            setattr(self, name, nn.Linear(*shape, bias=False))

    def heads(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.nums_head, d // self.nums_head).permute(0, 2, 1, 3)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache.size(1)
        new = self.kv_down(x)
        latents = new if cache is None else torch.cat([cache, new], dim=-2)
        visible = torch.ones(x.shape[1], past + x.shape[1], dtype=torch.bool).tril(past)
        q, k, v = self.heads(self.q_proj(x)), self.heads(self.k_up(latents)), self.heads(self.v_up(latents))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        return [self.o_proj(out.transpose(1, 2).flatten(2)), latents]
