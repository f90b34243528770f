# right: one loop over the key heads, queries of a group by slicing, broadcasting instead of repeating
import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("hidden_dim / nums_head")
        if nums_head % nums_key_value_head != 0:
            raise ValueError("nums_head / nums_key_value_head")
        self.h, self.kv, self.d = nums_head, nums_key_value_head, hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        b, s, _ = X.shape
        q = self.q_proj(X).view(b, s, self.h, self.d).transpose(1, 2)
        ks = self.k_proj(X).split(self.d, dim=-1)
        vs = self.v_proj(X).split(self.d, dim=-1)
        g = self.h // self.kv
        groups = []
        for i in range(self.kv):
            mine = q[:, i * g : (i + 1) * g]
            w = (mine @ ks[i].unsqueeze(1).mT / self.d**0.5).softmax(-1)
            groups.append(w @ vs[i].unsqueeze(1))
        out = torch.cat(groups, dim=1)
        return self.o_proj(out.transpose(1, 2).flatten(2))
