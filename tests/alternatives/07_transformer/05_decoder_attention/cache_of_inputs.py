import torch
from torch import nn


class DecoderAttention(nn.Module):
    """The cache is the text itself; positions by a table of cosines and sines made for all of it; einsum over groups."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        for one, other in ((hidden_dim, nums_head), (nums_head, nums_key_value_head)):
            if one % other:
                raise AssertionError(f"{other} does not divide {one}")
        self.h, self.kv, self.width = nums_head, nums_key_value_head, hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.width, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.width, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def turn(self, x):
        n, half = x.shape[1], self.width // 2
        angle = torch.arange(n, dtype=x.dtype)[:, None] / 10000.0 ** (2 * torch.arange(half, dtype=x.dtype) / self.width)
        cos, sin = torch.cos(angle)[:, None], torch.sin(angle)[:, None]
        first, second = x.split(half, -1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)

    def forward(self, x, cache=None):
        new = x.size(1)
        text = x if cache is None else torch.cat((cache, x), 1)
        n = text.size(1)
        q = self.turn(self.q_proj(text).unflatten(-1, (self.h, -1))).unflatten(2, (self.kv, -1))
        k = self.turn(self.k_proj(text).unflatten(-1, (self.kv, -1)))
        v = self.v_proj(text).unflatten(-1, (self.kv, -1))
        scores = torch.einsum("bikgd,bjkd->bkgij", q / self.width**0.5, k)
        scores = scores + torch.full((n, n), float("-inf"), dtype=x.dtype).triu(1)
        out = torch.einsum("bkgij,bjkd->bikgd", scores.softmax(-1), v).flatten(2)
        return self.o_proj(out)[:, -new:], text
