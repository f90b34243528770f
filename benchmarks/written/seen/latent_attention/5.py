# slip: the values are the keys once more, v_up is never used
import torch
from torch import nn


class LatentAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError(f"{hidden_dim} % {nums_head}")
        self.nh, self.hd = nums_head, hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, n, width = x.size()
        z = self.kv_down(x)
        if cache is not None:
            z = torch.cat((cache, z), dim=-2)
        m = z.size(1)
        q = self.q_proj(x).reshape(bsz, n, self.nh, self.hd).transpose(1, 2).reshape(bsz * self.nh, n, self.hd)
        k = self.k_up(z).reshape(bsz, m, self.nh, self.hd).transpose(1, 2).reshape(bsz * self.nh, m, self.hd)
        v = k
        a = torch.bmm(q, k.transpose(1, 2)) / self.hd**0.5
        a = a + torch.full((n, m), float("-inf"), dtype=a.dtype).triu(m - n + 1)
        o = torch.bmm(a.softmax(2), v).view(bsz, self.nh, n, self.hd).transpose(1, 2).reshape(bsz, n, width)
        return self.o_proj(o), z
