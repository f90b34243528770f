import math

import torch
from torch import nn


class DecoderAttention(nn.Module):
    """Head by head and token by token; each place is a matrix that turns; the cache is a list of tokens, copied."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("heads")
        if nums_head % nums_key_value_head != 0:
            raise ValueError("groups")
        self.h, self.group, self.d = nums_head, nums_head // nums_key_value_head, hidden_dim // nums_head
        narrow = self.d * nums_key_value_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj, self.v_proj = nn.Linear(hidden_dim, narrow, bias=False), nn.Linear(hidden_dim, narrow, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def rotation(self, place, dtype):
        matrix, half = torch.zeros(self.d, self.d, dtype=dtype), self.d // 2
        for i in range(half):
            angle = place * 10000 ** (-2 * i / self.d)
            matrix[i, i] = matrix[i + half, i + half] = math.cos(angle)
            matrix[i, i + half], matrix[i + half, i] = math.sin(angle), -math.sin(angle)
        return matrix

    def forward(self, x, cache=None):
        tokens = list(cache or [])
        outs = []
        for token in x.unbind(1):
            turn = self.rotation(len(tokens), x.dtype)
            q, k, v = (p(token).unflatten(-1, (-1, self.d)) for p in (self.q_proj, self.k_proj, self.v_proj))
            tokens.append((k @ turn, v))
            keys, values = (torch.stack(each, 1) for each in zip(*tokens))
            q = q @ turn
            heads = []
            for i in range(self.h):
                head_keys, head_values = keys[:, :, i // self.group], values[:, :, i // self.group]
                scores = torch.einsum("bd,btd->bt", q[:, i], head_keys) / math.sqrt(self.d)
                heads.append(torch.einsum("bt,btd->bd", scores.softmax(-1), head_values))
            outs.append(self.o_proj(torch.cat(heads, -1)))
        return torch.stack(outs, 1), tokens
