# slip: attention's residual adds the normalised input instead of x
import torch
import torch.nn.functional as F
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0, "d_model % num_heads"
        self.nh = num_heads
        self.norm1 = nn.LayerNorm(d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.mlp_in = nn.Linear(d_model, 4 * d_model)
        self.mlp_out = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        x = self.norm1(x)
        q, k, v = (torch.stack(f(x).chunk(self.nh, -1), 1) for f in (self.q_proj, self.k_proj, self.v_proj))
        att = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        n = x.size(1)
        att = att + torch.full((n, n), float("-inf"), dtype=x.dtype).triu(1)
        ctx = torch.einsum("bhij,bhjd->bihd", att.softmax(-1), v).flatten(2)
        x = x + self.o_proj(ctx)
        x = x + self.mlp_out(F.gelu(self.mlp_in(self.norm2(x))))
        return x
