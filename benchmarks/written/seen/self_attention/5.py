# slip: is_causal=True hides later tokens although nothing is to be hidden
import torch
import torch.nn.functional as F
from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size, bias=True)
        self.linear_k = nn.Linear(hidden_size, hidden_size, bias=True)
        self.linear_v = nn.Linear(hidden_size, hidden_size, bias=True)

    def forward(self, x):
        q, k, v = (proj(x) for proj in (self.linear_q, self.linear_k, self.linear_v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=True)
        return y
