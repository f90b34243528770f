"""Grouped-query attention: several query heads share one key head and one value head.

    q, k, v = q_proj(X), k_proj(X), v_proj(X), split into heads; each head of k and v serves nums_head / kv query heads
    output  = o_proj(softmax(q · kᵀ / √head_dim) · v, the heads side by side again)

    X        (b, s, hidden_dim)      batch, tokens, width
    q        (b, h, s, head_dim)     batch, nums_head, tokens, head_dim = hidden_dim / nums_head
    k, v     (b, kv, s, head_dim)    the same with only kv = nums_key_value_head heads
    scores   (b, h, s, s)            batch, nums_head, query token, key token
    returns  (b, s, hidden_dim)

Document: "手写大模型组件之 Group Query Attention", the GroupQueryAttention class.

    >>> GroupQueryAttention(128, 8, 4)(torch.rand(3, 2, 128)).shape
    torch.Size([3, 2, 128])

The layers are nn.Linear with bias: q_proj and o_proj keep the width, k_proj and v_proj output kv · head_dim.
There is no mask: every token sees every token. kv = nums_head is multi-head attention, kv = 1 is multi-query
attention. Sizes that do not divide (hidden_dim by nums_head, nums_head by kv) are refused with AssertionError or
ValueError.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int):
        super().__init__()
        # BEGIN SOLUTION
        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"
        assert nums_head % nums_key_value_head == 0, "nums_head must be divisible by nums_key_value_head"
        self.nums_head = nums_head
        self.nums_key_value_head = nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, nums_head * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        # END SOLUTION

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        # BEGIN SOLUTION
        b, s, hidden_dim = X.shape
        q = self.q_proj(X).view(b, s, self.nums_head, self.head_dim).transpose(1, 2)
        k = self.k_proj(X).view(b, s, self.nums_key_value_head, self.head_dim).transpose(1, 2)
        v = self.v_proj(X).view(b, s, self.nums_key_value_head, self.head_dim).transpose(1, 2)

        group = self.nums_head // self.nums_key_value_head
        k = k.repeat_interleave(group, dim=1)
        v = v.repeat_interleave(group, dim=1)

        scores = q @ k.transpose(2, 3) / self.head_dim**0.5
        weights = F.softmax(scores, dim=-1)
        context = (weights @ v).transpose(1, 2).reshape(b, s, hidden_dim)
        return self.o_proj(context)
        # END SOLUTION
