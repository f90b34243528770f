import torch
from torch import nn
from torch.nn import functional as F


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
