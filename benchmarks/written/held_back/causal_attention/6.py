# slips: the dropout acts on the output instead of the weights; hidden places are filled with -100
import torch
import torch.nn.functional as F
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False):
        super().__init__()
        self.d_out = d_out
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.resid_dropout = nn.Dropout(p=dropout)
        idx = torch.arange(context_length)
        self.register_buffer("mask", idx[None, :] > idx[:, None])

    def forward(self, x):
        t = x.shape[1]
        q = self.W_query(x) * self.d_out**-0.5
        logits = torch.bmm(q, self.W_key(x).permute(0, 2, 1))
        logits = logits.masked_fill(self.mask[:t, :t], -100.0)
        out = torch.bmm(F.softmax(logits, dim=2), self.W_value(x))
        return self.resid_dropout(out)
