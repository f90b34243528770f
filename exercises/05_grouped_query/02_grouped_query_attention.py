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
        raise NotImplementedError("GroupQueryAttention.__init__: still to write")

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("GroupQueryAttention.forward: still to write")
