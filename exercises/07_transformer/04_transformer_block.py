"""One block of a transformer: attention between the tokens, then an mlp for each token; each adds to what came in.

    y   = x + o_proj(causal multi-head attention of norm1(x))
    out = y + mlp_out(gelu(mlp_in(norm2(y))))

    x         (b, n, d_model)       batch, tokens, width
    q, k, v   (b, h, n, head_dim)   batch, heads, tokens, head_dim = d_model / h; all three from norm1(x)
    scores    (b, h, n, n)          batch, heads, token asks, token answers: scale 1/√head_dim, later tokens hidden
    hidden    (b, n, 4 · d_model)   batch, tokens, width of the mlp
    returns   (b, n, d_model)       batch, tokens, width

Document: none of the five; "Language Models are Unsupervised Multitask Learners" (GPT-2). "Attention Is All You Need"
has its norms after the sums, GPT-2 in front of each part.

    >>> block = TransformerBlock(d_model=8, num_heads=2)
    >>> block(torch.randn(3, 5, 8)).shape
    torch.Size([3, 5, 8])

The layers: norm1 and norm2 are nn.LayerNorm(d_model); q_proj, k_proj, v_proj and o_proj are
nn.Linear(d_model, d_model), mlp_in is nn.Linear(d_model, 4 · d_model), mlp_out is nn.Linear(4 · d_model, d_model), all
with bias. The GELU is the exact one, torch's default. There is no dropout. A d_model that num_heads does not divide is
refused with AssertionError or ValueError. A later token weighs nothing, however high its score.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        raise NotImplementedError("TransformerBlock.__init__: still to write")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("TransformerBlock.forward: still to write")
