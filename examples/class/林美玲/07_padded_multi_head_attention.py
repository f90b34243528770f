"""Multi-head attention for sequences of different lengths: nobody looks at the padding.

    q, k, v = q_proj(X), k_proj(X), v_proj(X), each split into heads
    weights = att_dropout(softmax(q · kᵀ / √head_dim))      keys that are padding are hidden before the softmax
    output  = o_proj(weights · v, the heads side by side again)

    X               (b, s, hidden_dim)     batch, tokens, width
    attention_mask  (b, s)                 1 = a real token, 0 = padding; int, bool or float; or None
    q, k, v         (b, h, s, head_dim)    batch, heads, tokens, head_dim = hidden_dim / nums_head
    scores          (b, h, s, s)           batch, heads, query token, key token
    returns         (b, s, hidden_dim)

Document: "手写大模型组件之 Group Query Attention", the first code, multi-head self-attention.

    >>> mask = torch.tensor([[0, 1], [1, 1], [1, 0]])
    >>> MultiHeadAttention(128, 8)(torch.rand(3, 2, 128), mask).shape
    torch.Size([3, 2, 128])

The mask says which keys may be seen, so it lies along the last axis of the scores, the same for every head and every
query. A padded token still asks, and gets an output like any other. The padding may stand in front, behind or between
the tokens, and weighs nothing, however high its score. Every sequence has at least one real token.

The layers are nn.Linear with bias. The dropout (0.1 unless another is given) acts on the weights, in training
only; with dropout = 1 nothing is left but o_proj's bias. A hidden_dim that nums_head does not divide is refused with
AssertionError or ValueError. Nothing is printed.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    """A mask that is added, the scale on the query, float32 softmax, layers made in another order."""

    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError(f"{nums_head} heads do not fit into {hidden_dim}")
        self.num_heads = nums_head
        self.att_dropout = nn.Dropout(p=dropout)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("scale", torch.tensor((hidden_dim // nums_head) ** -0.5), persistent=False)

    def forward(self, X, attention_mask=None):
        b, s, _ = X.shape
        q = (self.q_proj(X) * self.scale).reshape(b, s, self.num_heads, -1)
        k = self.k_proj(X).reshape(b, s, self.num_heads, -1)
        v = self.v_proj(X).reshape(b, s, self.num_heads, -1)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        if attention_mask is not None:
            bias = (1.0 - attention_mask.to(X.dtype)) * torch.finfo(X.dtype).min
            scores = scores + bias.reshape(b, 1, 1, s)
        weights = self.att_dropout(scores.float().softmax(-1).type_as(X))
        return self.o_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(start_dim=2))
