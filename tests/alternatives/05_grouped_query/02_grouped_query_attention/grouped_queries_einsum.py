import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    """Nothing is repeated: the queries get an axis for the group."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert not hidden_dim % nums_head and not nums_head % nums_key_value_head
        self.kv, self.d = nums_key_value_head, hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj, self.v_proj = (nn.Linear(hidden_dim, self.kv * self.d) for _ in "kv")
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, hidden_states):
        q = self.q_proj(hidden_states).unflatten(-1, (self.kv, -1, self.d)) / self.d**0.25
        k = self.k_proj(hidden_states).unflatten(-1, (self.kv, self.d)) / self.d**0.25
        v = self.v_proj(hidden_states).unflatten(-1, (self.kv, self.d))
        weights = torch.einsum("bqkgd,bnkd->bkgqn", q, k).softmax(-1)
        return self.o_proj(torch.einsum("bkgqn,bnkd->bqkgd", weights, v).flatten(2))
