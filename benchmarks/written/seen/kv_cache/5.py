# slip: the cache is kept as lists that are appended to in place, so a cache that was passed in is changed
import torch
import torch.nn.functional as F
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.nums_head = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        return torch.stack(t.chunk(self.nums_head, dim=-1), dim=1)

    def forward(self, x, cache=None):
        if cache is None:
            cache = {"keys": [], "values": []}
        cache["keys"].append(self.split(self.k_proj(x)))
        cache["values"].append(self.split(self.v_proj(x)))
        k = torch.cat(cache["keys"], dim=2)
        v = torch.cat(cache["values"], dim=2)
        q = self.split(self.q_proj(x))
        n, m = q.size(2), k.size(2)
        visible = torch.ones(n, m, dtype=torch.bool).tril(m - n)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        out = torch.cat(out.unbind(1), dim=-1)
        return self.o_proj(out), cache
