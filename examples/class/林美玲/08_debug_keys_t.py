"""Find the fault: self-attention with nn.Linear, as a document prints it.

    queries, keys, values = W_query(x), W_key(x), W_value(x)
    context_vec = softmax(queries · keysᵀ / √d_out) · values        the softmax runs over the keys

    x        (n, d_in) or (b, n, d_in)      tokens, width of a token; with a batch or without
    returns  (n, d_out) or (b, n, d_out)

Document: HackTricks, "4. Attention Mechanisms", the code example after the trainable weights. The class below is our
own rendering of it: the same names, the same steps, in the same order. It works for the one sequence that the
document tries. Called with a batch of two such sequences it ends with

    RuntimeError

and there are sizes for which a batch raises no error, but comes back with wrong numbers.

Run this file to see it. Find the fault and mend it with as little as you can: once mended, the module takes one
sequence and a batch alike. For the one sequence it prints what it prints now; the first row is [-0.0739, 0.0713].

    >>> SelfAttention_v2(3, 2)(torch.rand(2, 6, 3)).shape
    torch.Size([2, 6, 2])

A small repair earns its own points: at most two lines taken out and two put in. Comments and blank lines don't count.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by the names that the file has.
"""

import torch
from torch import nn


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)

        # one row for each query, one column for each key
        attn_scores = torch.einsum("...qd,...kd->...qk", queries, keys)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)

        context_vec = attn_weights @ values
        return context_vec


if __name__ == "__main__":
    # six words, three numbers each
    inputs = torch.tensor(
        [
            [0.43, 0.15, 0.89],
            [0.55, 0.87, 0.66],
            [0.57, 0.85, 0.64],
            [0.22, 0.58, 0.33],
            [0.77, 0.25, 0.10],
            [0.05, 0.80, 0.55],
        ]
    )
    torch.manual_seed(789)
    attention = SelfAttention_v2(3, 2)
    print(attention(inputs))
    print(attention(torch.stack([inputs, inputs])).shape)
