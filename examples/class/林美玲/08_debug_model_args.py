"""Find the faults: multi-head attention with a class of settings, as a document prints it.

    queries, keys, values = wq(q), wk(k), wv(v), each split into heads
    weights = attn_dropout(softmax(queries · keysᵀ / √head_dim))      later tokens hidden, but only if is_causal
    output  = resid_dropout(wo(weights · values, the heads side by side again))

    q         (b, Lq, dim)             batch, query tokens, width
    k, v      (b, Lk, dim)             batch, key tokens, width; Lk may differ from Lq unless is_causal
    scores    (b, h, Lq, Lk)           batch, heads, query token, key token
    returns   (b, Lq, dim)

Document: "大语言模型原理与实战, 第二章 注意力机制", notes on Happy-LLM, the class MultiHeadAttention. What stands
below is our own rendering of it: the same names, the same steps, in the same order. As printed there it has four
faults, each worth its own points. They show themselves like this, some only once others are mended:

    NameError         at the first call, whatever is passed in
    AttributeError    at a later call, with is_causal=True and with is_causal=False
    RuntimeError      when keys and values come from a sequence of another length
    AssertionError    with dim=8, n_embd=10 and 4 heads, which should work; dim=10 with n_embd=8 is let through

Run this file to see the first. Mend all four with as little as you can. The width is `dim` everywhere; `n_embd` may
differ from it and is ignored. A dim that n_heads does not divide is refused (AssertionError or ValueError). Then

    >>> args = ModelArgs(dim=8, n_embd=10, n_heads=4, max_seq_len=6, dropout=0.0)
    >>> MultiHeadAttention(args)(torch.rand(2, 3, 8), torch.rand(2, 5, 8), torch.rand(2, 5, 8)).shape
    torch.Size([2, 3, 8])

A small repair earns its own points: at most ten lines taken out and fourteen put in. Comments and blank lines don't
count.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by the names that the file has.
"""

import math
from dataclasses import dataclass

import torch

from torch import nn
import torch.nn.functional as F


@dataclass
class ModelArgs:
    dim: int
    n_embd: int
    n_heads: int
    max_seq_len: int
    dropout: float


class MultiHeadAttention(nn.Module):
    def __init__(self, args: ModelArgs, is_causal: bool = False):
        super().__init__()
        # the width is shared out among the heads, so it has to be a multiple of their number
        assert args.dim % args.n_heads == 0, "dim must be a multiple of n_heads"
        self.is_causal = is_causal
        self.n_local_heads = args.n_heads
        self.head_dim = args.dim // args.n_heads

        # the matrices of all heads side by side
        self.wq = nn.Linear(args.dim, args.n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, args.n_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(args.dim, args.n_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(args.n_heads * self.head_dim, args.dim, bias=False)

        self.attn_dropout = nn.Dropout(args.dropout)
        self.resid_dropout = nn.Dropout(args.dropout)

        # -inf where a later token stands, 0 elsewhere; one more axis than before, for the heads
        if is_causal:
            mask = torch.full((1, 1, args.max_seq_len, args.max_seq_len), float("-inf"))
            mask = torch.triu(mask, diagonal=1)
            self.register_buffer("mask", mask)

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        bsz, seqlen, _ = q.shape

        xq, xk, xv = self.wq(q), self.wk(k), self.wv(v)

        # (b, tokens, heads, head_dim), then heads before tokens
        xq = xq.view(bsz, seqlen, self.n_local_heads, self.head_dim)
        xk = xk.view(bsz, k.size(1), self.n_local_heads, self.head_dim)
        xv = xv.view(bsz, v.size(1), self.n_local_heads, self.head_dim)
        xq = xq.transpose(1, 2)
        xk = xk.transpose(1, 2)
        xv = xv.transpose(1, 2)

        scores = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(self.head_dim)
        if self.is_causal:
            assert hasattr(self, "mask")
            # a sequence may be shorter than max_seq_len
            scores = scores + self.mask[:, :, :seqlen, :seqlen]
        scores = F.softmax(scores.float(), dim=-1).type_as(xq)
        scores = self.attn_dropout(scores)
        output = torch.matmul(scores, xv)

        # heads side by side again
        output = output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        output = self.wo(output)
        output = self.resid_dropout(output)
        return output


if __name__ == "__main__":
    args = ModelArgs(dim=8, n_embd=8, n_heads=4, max_seq_len=6, dropout=0.0)
    x = torch.rand(2, 3, 8)
    print(MultiHeadAttention(args)(x, x, x).shape)
