# right: hasattr(mask) in place of is_causal, view with -1
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from torch import nn


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
        assert args.dim % args.n_heads == 0
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
        xk = xk.view(bsz, -1, self.n_local_heads, self.head_dim)
        xv = xv.view(bsz, -1, self.n_local_heads, self.head_dim)
        xq = xq.transpose(1, 2)
        xk = xk.transpose(1, 2)
        xv = xv.transpose(1, 2)

        scores = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(self.head_dim)
        if hasattr(self, "mask"):
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
