import torch
import torch.nn.functional as F
from torch import nn


class CachedAttention(nn.Module):
    """torch's own multi-head attention does the work; the cache holds the widths that go into it."""

    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError(f"{nums_head} heads do not fit into {hidden_dim}")
        self.d, self.h = hidden_dim, nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        text = x if cache is None else torch.cat([cache, x], dim=1)
        n, total = x.shape[1], text.shape[1]
        mask = torch.ones(total, total).triu(1).bool()[total - n :]
        out, _ = F.multi_head_attention_forward(
            x.transpose(0, 1), text.transpose(0, 1), text.transpose(0, 1), self.d, self.h, None,
            torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias]), None, None, False, 0.0,
            self.o_proj.weight, self.o_proj.bias, need_weights=False, attn_mask=mask,
            use_separate_proj_weight=True, q_proj_weight=self.q_proj.weight,
            k_proj_weight=self.k_proj.weight, v_proj_weight=self.v_proj.weight,
        )  # fmt: skip
        return out.transpose(0, 1), text
