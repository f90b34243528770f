# slip: no mask at all when a cache is given, so the tokens of one chunk see each other's future
import torch
import torch.nn.functional as F
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.n_head = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        q = self.q_proj(x)
        k = self.k_proj(x)
        v = self.v_proj(x)
        first = cache is None
        if not first:
            k = torch.cat([cache[0], k], dim=1)
            v = torch.cat([cache[1], v], dim=1)
        new_cache = (k, v)
        q, k, v = [t.unflatten(2, (self.n_head, -1)).transpose(1, 2) for t in (q, k, v)]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=first)
        return self.o_proj(y.transpose(1, 2).flatten(2)), new_cache
