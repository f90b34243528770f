import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out must be divisible by num_heads")
        self.out_proj = nn.Linear(d_out, d_out)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.register_buffer(
            "mask", torch.full((1, 1, context_length, context_length), -torch.inf).triu(1), persistent=False
        )
        self.h, self.d, self.p = num_heads, d_out, dropout

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (w(x).transpose(0, 1) for w in (self.W_query, self.W_key, self.W_value))
        eye = torch.eye(self.d, dtype=x.dtype)
        out, _ = F.multi_head_attention_forward(
            q,
            k,
            v,
            self.d,
            self.h,
            torch.cat([eye, eye, eye]),
            None,
            None,
            None,
            False,
            self.p,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            attn_mask=self.mask[0, 0, :n, :n].isinf(),
        )
        return out.transpose(0, 1)
