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
    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        # BEGIN SOLUTION
        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"
        self.nums_head = nums_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)
        # END SOLUTION

    def forward(self, X: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        # BEGIN SOLUTION
        b, s, hidden_dim = X.shape
        in_heads = (b, s, self.nums_head, self.head_dim)
        q = self.q_proj(X).view(in_heads).transpose(1, 2)
        k = self.k_proj(X).view(in_heads).transpose(1, 2)
        v = self.v_proj(X).view(in_heads).transpose(1, 2)

        scores = q @ k.transpose(2, 3) / self.head_dim**0.5
        if attention_mask is not None:
            padding = attention_mask[:, None, None, :] == 0
            scores = scores.masked_fill(padding, -torch.inf)
        weights = F.softmax(scores, dim=-1)
        weights = self.att_dropout(weights)

        context = (weights @ v).transpose(1, 2).reshape(b, s, hidden_dim)
        return self.o_proj(context)
        # END SOLUTION
