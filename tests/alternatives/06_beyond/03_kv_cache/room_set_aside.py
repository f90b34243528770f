import torch
from torch import nn

class CachedAttention(nn.Module):
    """The cache: room for keys and values, twice as large when full, plus a length. Copied before written to."""
    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        if hidden_dim % nums_head:
            raise AssertionError("no")
        self.nums_head, self.head_dim = nums_head, hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=True)

    def forward(self, x, cache=None):
        b, n, d = x.shape
        if cache is None:
            room = x.new_zeros(2, b, 4, d)
            length = 0
        else:
            room, length = cache
            room = room.clone()
        while length + n > room.shape[2]:
            room = torch.cat([room, torch.zeros_like(room)], dim=2)
        room[0, :, length:length + n] = self.k_proj(x)
        room[1, :, length:length + n] = self.v_proj(x)
        length = length + n
        h, hd = self.nums_head, self.head_dim
        k = room[0, :, :length].reshape(b, length, h, hd).transpose(1, 2)
        v = room[1, :, :length].reshape(b, length, h, hd).transpose(1, 2)
        q = self.q_proj(x).reshape(b, n, h, hd).transpose(1, 2)
        s = (q * hd ** -0.25) @ (k * hd ** -0.25).transpose(-1, -2)
        bias = torch.full((n, length), float("-inf"), dtype=s.dtype).triu(length - n + 1)
        o = torch.softmax(s + bias, dim=-1) @ v
        return self.o_proj(o.transpose(1, 2).reshape(b, n, d)), (room, length)
