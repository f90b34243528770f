import torch
from torch import nn


class CachedAttention(nn.Module):
    """Hidden weights set to 0 after the softmax, then each row divided by what is left of it."""

    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.nums_head = nums_head
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, x, cache=None):
        query, key, value = (
            layer(x).unflatten(-1, (self.nums_head, -1)).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        if cache is not None:
            key, value = torch.cat([cache["key"], key], dim=2), torch.cat([cache["value"], value], dim=2)
        weights = torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=-1)
        weights = weights.tril(key.shape[2] - query.shape[2])
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return self.o_proj((weights @ value).transpose(1, 2).flatten(2)), {"key": key, "value": value}
