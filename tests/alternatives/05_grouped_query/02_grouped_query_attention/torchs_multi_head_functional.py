import torch
import torch.nn.functional as F
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError("indivisible")
        d = hidden_dim // nums_head
        for name, out in {
            "v_proj": nums_key_value_head * d,
            "k_proj": nums_key_value_head * d,
            "o_proj": hidden_dim,
            "q_proj": hidden_dim,
        }.items():
            setattr(self, name, nn.Linear(hidden_dim, out))
        self.a = hidden_dim, nums_head, nums_key_value_head, d

    def wide(self, layer):
        E, h, kv, d = self.a
        w = layer.weight.view(kv, 1, d, E).expand(kv, h // kv, d, E).reshape(E, E)
        b = layer.bias.view(kv, 1, d).expand(kv, h // kv, d).reshape(E)
        return w, b

    def forward(self, X, attention_mask=None):
        (wk, bk), (wv, bv) = self.wide(self.k_proj), self.wide(self.v_proj)
        t = X.transpose(0, 1)
        out, _ = F.multi_head_attention_forward(
            t,
            t,
            t,
            self.a[0],
            self.a[1],
            torch.cat([self.q_proj.weight, wk, wv]),
            torch.cat([self.q_proj.bias, bk, bv]),
            None,
            None,
            False,
            0.0,
            self.o_proj.weight,
            self.o_proj.bias,
            need_weights=False,
        )
        return out.transpose(0, 1)
