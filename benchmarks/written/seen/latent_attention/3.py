# slip: the causal mask of a later chunk is anchored at the upper left (triu with diagonal 1 on the wide matrix)
import torch
from torch import nn


class LatentAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        assert hidden_dim % nums_head == 0, "hidden_dim % nums_head != 0"
        self.nums_head = nums_head
        self.scale = (hidden_dim // nums_head) ** -0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def heads(self, t):
        return torch.stack(t.chunk(self.nums_head, dim=-1), dim=1)

    def forward(self, x, cache=None):
        new = self.kv_down(x)
        latents = new if cache is None else torch.cat([cache, new], 1)
        q, k, v = self.heads(self.q_proj(x)), self.heads(self.k_up(latents)), self.heads(self.v_up(latents))
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        mask = torch.ones_like(dots[0, 0], dtype=torch.bool).triu(1)
        dots = dots.masked_fill(mask, -torch.finfo(dots.dtype).max)
        out = torch.matmul(dots.softmax(dim=-1), v)
        return self.o_proj(torch.cat(out.unbind(1), -1)), latents
