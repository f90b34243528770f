# slips: the second residual is forgotten; ReLU in place of GELU
import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.n_head, self.n_embd = num_heads, d_model
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.o_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.mlp_in, self.mlp_out = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        y = self.norm1(x)
        outs = []
        size = self.n_embd // self.n_head
        mask = torch.ones(x.size(1), x.size(1)).tril() == 0
        for q, k, v in zip(self.q_proj(y).split(size, -1), self.k_proj(y).split(size, -1), self.v_proj(y).split(size, -1)):
            a = torch.bmm(q, k.transpose(1, 2)) / size**0.5
            outs.append(torch.bmm(a.masked_fill(mask, float("-inf")).softmax(-1), v))
        x = x + self.o_proj(torch.cat(outs, -1))
        return self.mlp_out(torch.relu(self.mlp_in(self.norm2(x))))
