# slip: keys from the cache, turned already, are turned again together with the new ones
import torch
import torch.nn.functional as F
from torch import nn


def apply_rotary(x, base=10000.0, offset=0):
    n, d = x.shape[-2], x.shape[-1]
    pos = torch.arange(offset, offset + n).unsqueeze(1).to(x.dtype)
    freq = base ** (torch.arange(d // 2).to(x.dtype) * (-2.0 / d))
    sin, cos = torch.sin(pos * freq), torch.cos(pos * freq)
    left, right = x.split(d // 2, dim=-1)
    return torch.cat((left * cos - right * sin, left * sin + right * cos), -1)


class DecoderAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0 and nums_head % nums_key_value_head == 0
        self.nums_head = nums_head
        self.nums_kv = nums_key_value_head
        head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, nums_key_value_head * head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, nums_key_value_head * head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        q = self.q_proj(x).unflatten(-1, (self.nums_head, -1)).transpose(1, 2)
        k = self.k_proj(x).unflatten(-1, (self.nums_kv, -1)).transpose(1, 2)
        v = self.v_proj(x).unflatten(-1, (self.nums_kv, -1)).transpose(1, 2)
        past = 0
        if cache is not None:
            past = cache["k"].shape[-2]
            k = torch.cat((cache["k"], k), -2)
            v = torch.cat((cache["v"], v), -2)
        q = apply_rotary(q, offset=past)
        k = apply_rotary(k)
        new_cache = {"k": k, "v": v}
        i = torch.arange(q.shape[-2]) + past
        allowed = torch.arange(k.shape[-2])[None, :] <= i[:, None]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed, enable_gqa=True)
        return self.o_proj(y.transpose(1, 2).flatten(-2)), new_cache
