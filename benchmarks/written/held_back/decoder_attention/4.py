# slip: the query heads are laid out (groups, kv), so a query head meets the key head i % kv instead of i // n
import torch
from torch import nn


def apply_rotary(x, base=10000.0, offset=0):
    half = x.shape[-1] // 2
    theta = torch.exp(-torch.arange(half, dtype=torch.float64) / half * torch.log(torch.tensor(base, dtype=torch.float64)))
    angle = (torch.arange(x.shape[2], dtype=torch.float64) + offset)[:, None] * theta
    c, s = angle.cos().type_as(x), angle.sin().type_as(x)
    u, w = x[..., :half], x[..., half:]
    return torch.cat([u * c - w * s, u * s + w * c], dim=-1)


class DecoderAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0, "hidden_dim"
        assert nums_head % nums_key_value_head == 0, "kv"
        self.H, self.KV, self.D = nums_head, nums_key_value_head, hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, self.H * self.D, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.KV * self.D, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.KV * self.D, bias=False)
        self.o_proj = nn.Linear(self.H * self.D, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, N, _ = x.shape
        G = self.H // self.KV
        past = cache.shape[3] if cache is not None else 0
        q = apply_rotary(self.q_proj(x).reshape(B, N, self.H, self.D).permute(0, 2, 1, 3), offset=past)
        k = apply_rotary(self.k_proj(x).reshape(B, N, self.KV, self.D).permute(0, 2, 1, 3), offset=past)
        v = self.v_proj(x).reshape(B, N, self.KV, self.D).permute(0, 2, 1, 3)
        kv = torch.stack([k, v])
        if cache is not None:
            kv = torch.cat([cache, kv], dim=3)
        k, v = kv.unbind(0)
        q = q.reshape(B, G, self.KV, N, self.D)
        scores = torch.einsum("bgknd,bkmd->bgknm", q, k) / self.D**0.5
        later = torch.arange(past + N)[None] > torch.arange(past, past + N)[:, None]
        probs = scores.masked_fill(later, float("-inf")).softmax(-1)
        out = torch.einsum("bgknm,bkmd->bngkd", probs, v).reshape(B, N, self.H * self.D)
        return self.o_proj(out), kv
