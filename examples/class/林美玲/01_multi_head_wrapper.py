"""Several heads side by side: the simplest multi-head attention is a list of attentions.

    result = head_0(x), head_1(x), …, head_(h-1)(x)         side by side, along the width

    x               (b, n, d_in)               batch, tokens, width that comes in
    each head(x)    (b, n, d_out)              batch, tokens, width of one head
    returns         (b, n, d_out * num_heads)  batch, tokens, width of all heads together

Document: iThome, "Day 15. Multi-head Attention", the first version, with a ModuleList.

`CausalAttention` is given below, complete. Write the wrapper only. Its heads are an nn.ModuleList named `heads`, and
that is all it has; the parameters are then called heads.0.W_query.weight, heads.0.W_key.weight and so on. Every head
gets the same d_in, d_out, context_length, dropout and qkv_bias, and weights of its own.

On two copies of "Your journey starts with one step", six tokens of width 3:

    >>> journey = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
    ...                         [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
    >>> batch = torch.stack([journey, journey])
    >>> _ = torch.manual_seed(123)
    >>> wrapper = MultiHeadAttentionWrapper(d_in=3, d_out=2, context_length=6, dropout=0.0, num_heads=2)
    >>> wrapper(batch).shape
    torch.Size([2, 6, 4])
    >>> wrapper(batch)[0, 0].detach()
    tensor([-0.4519,  0.2216,  0.4772,  0.1063])

These four numbers hold when the heads are made in order. The first two are those of a single CausalAttention. There are
never more than `context_length` tokens.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class CausalAttention(nn.Module):
    """One head, given: no token sees a later one. (b, n, d_in) becomes (b, n, d_out).

    The steps between the projections and the result are torch's here; unit 6 is about that function.
    """

    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("seen", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, p = x.shape[1], self.dropout.p if self.training else 0.0
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(queries, keys, values, attn_mask=self.seen[:n, :n], dropout_p=p)


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(CausalAttention(d_in, d_out, context_length, dropout, qkv_bias=qkv_bias))

    def forward(self, x):
        outputs = []
        for i in range(self.num_heads):
            outputs.append(self.heads[i](x))
        return torch.cat(outputs, dim=2)
