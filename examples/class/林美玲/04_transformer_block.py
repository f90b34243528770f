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
    """A loop over heads and queries: each query looks at the keys up to itself, so no mask is needed."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError("d_model")
        self.head_dim = d_model // num_heads
        linear = {name: nn.Linear(d_model, d_model) for name in ("q_proj", "k_proj", "v_proj", "o_proj")}
        for name, layer in linear.items():
            self.add_module(name, layer)
        self.norm1 = nn.LayerNorm(d_model)
        self.mlp_in = nn.Linear(d_model, d_model * 4)
        self.mlp_out = nn.Linear(d_model * 4, d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x):
        h = self.norm1(x)
        heads = []
        for q, k, v in zip(*(p(h).split(self.head_dim, dim=-1) for p in (self.q_proj, self.k_proj, self.v_proj))):
            rows = []
            for i in range(x.shape[1]):
                scores = (k[:, : i + 1] @ q[:, i, :, None]).squeeze(-1) / self.head_dim**0.5
                rows.append(torch.einsum("bj,bjd->bd", scores.softmax(-1), v[:, : i + 1]))
            heads.append(torch.stack(rows, 1))
        y = x + self.o_proj(torch.cat(heads, -1))
        return y + self.mlp_out(F.gelu(self.mlp_in(self.norm2(y))))
