import torch
import torch.nn.functional as F
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        assert not hidden_dim % nums_head
        for name in "qkvo":
            setattr(self, f"{name}_proj", nn.Linear(hidden_dim, hidden_dim))
        self.shape = (nums_head, hidden_dim // nums_head)

    def _heads(self, x):
        return x.unflatten(2, self.shape).transpose(1, 2)

    def forward(self, x, cache=None):
        k, v = self._heads(self.k_proj(x)), self._heads(self.v_proj(x))
        if cache:
            k = torch.cat([cache["k"], k], -2)
            v = torch.cat([cache["v"], v], -2)
        n, total = x.shape[1], k.shape[-2]
        visible = torch.ones(total, total, dtype=torch.bool).tril()[-n:]
        out = F.scaled_dot_product_attention(self._heads(self.q_proj(x)), k, v, attn_mask=visible)
        return self.o_proj(out.transpose(1, 2).flatten(2)), dict(k=k, v=v)
