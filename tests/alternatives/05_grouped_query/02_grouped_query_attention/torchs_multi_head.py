import torch
import torch.nn.functional as F
from torch import nn


class GroupQueryAttention(nn.Module):
    """The narrow weights are repeated, not the heads; then it is plain multi-head attention, and torch has that."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError(f"{hidden_dim} / {nums_head} / {nums_key_value_head}")
        self.hidden_dim, self.nums_head, self.kv = hidden_dim, nums_head, nums_key_value_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        narrow = hidden_dim // nums_head * nums_key_value_head
        self.k_proj = nn.Linear(hidden_dim, narrow)
        self.v_proj = nn.Linear(hidden_dim, narrow)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _widened(self, parameter):
        by_head = parameter.unflatten(0, (self.kv, -1))
        return by_head.repeat_interleave(self.nums_head // self.kv, 0).flatten(0, 1)

    def forward(self, X):
        x = X.transpose(0, 1)
        bias = torch.cat([self.q_proj.bias, self._widened(self.k_proj.bias), self._widened(self.v_proj.bias)])
        out, _ = F.multi_head_attention_forward(
            x, x, x, self.hidden_dim, self.nums_head, None, bias, None, None, False, 0.0,
            self.o_proj.weight, self.o_proj.bias, training=self.training, need_weights=False,
            use_separate_proj_weight=True, q_proj_weight=self.q_proj.weight,
            k_proj_weight=self._widened(self.k_proj.weight), v_proj_weight=self._widened(self.v_proj.weight),
        )  # fmt: skip
        return out.transpose(0, 1)
