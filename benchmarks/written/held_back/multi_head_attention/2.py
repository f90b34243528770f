# slip: the causal mask hides the diagonal too (tril with diagonal -1)
import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.attn_dropout = nn.Dropout(dropout)
        self.n_head = num_heads
        self.n_embd = d_out
        bias = torch.tril(torch.ones(context_length, context_length), diagonal=-1)
        self.register_buffer("mask", bias.view(1, 1, context_length, context_length))

    def forward(self, x):
        B, T, _ = x.size()
        C = self.n_embd
        k = self.W_key(x).view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = self.W_query(x).view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = self.W_value(x).view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, -1e30)
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.out_proj(y)
