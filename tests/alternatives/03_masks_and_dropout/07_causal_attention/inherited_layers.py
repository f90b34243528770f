import torch
from torch import nn


class Projections(nn.Module):
    def __init__(self, d_in, d_out, bias):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=bias)
        self.W_key = nn.Linear(d_in, d_out, bias=bias)
        self.W_value = nn.Linear(d_in, d_out, bias=bias)


class CausalAttention(Projections):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False):
        super().__init__(d_in, d_out, qkv_bias)
        self.attn_dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(1, 1, context_length, context_length).triu(1))

    def forward(self, inputs):
        tokens = inputs.shape[-2]
        query, key, value = self.W_query(inputs), self.W_key(inputs), self.W_value(inputs)
        scores = torch.matmul(query, key.permute(0, 2, 1)) * key.size(-1) ** -0.5
        scores = scores - 1e9 * self.mask[0, :, :tokens, :tokens]
        p_attn = self.attn_dropout(torch.nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(value.dtype))
        return torch.matmul(p_attn, value)
