# slip: the keys are not turned, only the queries
import torch
import torch.nn.functional as F
from torch import nn


def apply_rotary(x: torch.Tensor, base: float = 10000.0, offset: int = 0) -> torch.Tensor:
    d = x.shape[-1]
    i = torch.arange(d // 2, dtype=x.dtype, device=x.device)
    p = torch.arange(x.shape[-2], dtype=x.dtype, device=x.device) + offset
    ang = p[:, None] / base ** (2 * i / d)
    x1, x2 = torch.tensor_split(x, 2, dim=-1)
    return torch.cat((x1 * ang.cos() - x2 * ang.sin(), x1 * ang.sin() + x2 * ang.cos()), dim=-1)


def repeat_kv(x, n_rep):
    b, kv, n, d = x.shape
    return x[:, :, None].expand(b, kv, n_rep, n, d).reshape(b, kv * n_rep, n, d)


class DecoderAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError("hidden_dim is not divisible by nums_head")
        if nums_head % nums_key_value_head:
            raise ValueError("nums_head is not divisible by nums_key_value_head")
        self.hd = hidden_dim // nums_head
        self.rep = nums_head // nums_key_value_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.hd * nums_key_value_head, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.hd * nums_key_value_head, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def heads(self, t):
        return torch.stack(t.split(self.hd, dim=-1), dim=1)

    def forward(self, x, cache=None):
        q, k, v = self.heads(self.q_proj(x)), self.heads(self.k_proj(x)), self.heads(self.v_proj(x))
        start = cache[0].shape[2] if cache else 0
        q = apply_rotary(q, offset=start)
        if cache:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        kk, vv = repeat_kv(k, self.rep), repeat_kv(v, self.rep)
        s = torch.matmul(q, kk.mT) * self.hd**-0.5
        n = x.shape[1]
        s = s.masked_fill(torch.ones(n, start + n, dtype=torch.bool).triu(start + 1), torch.finfo(s.dtype).min)
        o = torch.matmul(F.softmax(s, dim=-1), vv)
        return self.o_proj(torch.cat(o.unbind(1), dim=-1)), [k, v]
