ALTERNATIVES = {
    "as_in_llama": """\
def apply_rotary(x, cos, sin):
    x1, x2 = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-x2, x1), dim=-1) * sin


class DecoderAttention(nn.Module):
    def angles(self, start, count, like):
        inv_freq = 1.0 / 10000 ** (torch.arange(0, self.head_dim, 2, dtype=like.dtype) / self.head_dim)
        freqs = torch.arange(start, start + count, dtype=like.dtype)[:, None] * inv_freq
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos(), emb.sin()

    def forward(self, x, cache=None):
        cache = cache or {"k": None, "v": None, "seen": 0}
        q, k, v = (
            proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        cos, sin = self.angles(cache["seen"], x.shape[1], x)
        q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)
        if cache["seen"]:
            k, v = torch.cat((cache["k"], k), 2), torch.cat((cache["v"], v), 2)
        mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(cache["seen"])
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        return self.o_proj(out.transpose(1, 2).flatten(2)), {"k": k, "v": v, "seen": k.shape[2]}
""",
    "cache_of_inputs": '''\
def apply_rotary(x):
    n, d = x.shape[1], x.shape[-1]
    angle = torch.arange(n, dtype=x.dtype)[:, None] / 10000.0 ** (2 * torch.arange(d // 2, dtype=x.dtype) / d)
    cos, sin = torch.cos(angle)[:, None], torch.sin(angle)[:, None]
    first, second = x.split(d // 2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


class DecoderAttention(nn.Module):
    """The cache is the text itself; positions by a table of cosines and sines made for all of it; einsum over groups."""

    def forward(self, x, cache=None):
        new = x.size(1)
        text = x if cache is None else torch.cat((cache, x), 1)
        n = text.size(1)
        q = apply_rotary(self.q_proj(text).unflatten(-1, (self.nums_head, -1))).unflatten(2, (self.nums_key_value_head, -1))
        k = apply_rotary(self.k_proj(text).unflatten(-1, (self.nums_key_value_head, -1)))
        v = self.v_proj(text).unflatten(-1, (self.nums_key_value_head, -1))
        scores = torch.einsum("bikgd,bjkd->bkgij", q / self.head_dim**0.5, k)
        scores = scores + torch.full((n, n), float("-inf"), dtype=x.dtype).triu(1)
        out = torch.einsum("bkgij,bjkd->bikgd", scores.softmax(-1), v).flatten(2)
        return self.o_proj(out)[:, -new:], text
''',
    "rotation_matrices": '''\
import math


class DecoderAttention(nn.Module):
    """Head by head and token by token; each place is a matrix that turns; the cache is a list of tokens, copied."""

    def rotation(self, place, dtype):
        matrix, half = torch.zeros(self.head_dim, self.head_dim, dtype=dtype), self.head_dim // 2
        for i in range(half):
            angle = place * 10000 ** (-2 * i / self.head_dim)
            matrix[i, i] = matrix[i + half, i + half] = math.cos(angle)
            matrix[i, i + half], matrix[i + half, i] = math.sin(angle), -math.sin(angle)
        return matrix

    def forward(self, x, cache=None):
        tokens, group = list(cache or []), self.nums_head // self.nums_key_value_head
        outs = []
        for token in x.unbind(1):
            turn = self.rotation(len(tokens), x.dtype)
            q, k, v = (p(token).unflatten(-1, (-1, self.head_dim)) for p in (self.q_proj, self.k_proj, self.v_proj))
            tokens.append((k @ turn, v))
            keys, values = (torch.stack(each, 1) for each in zip(*tokens))
            q = q @ turn
            heads = []
            for i in range(self.nums_head):
                head_keys, head_values = keys[:, :, i // group], values[:, :, i // group]
                scores = torch.einsum("bd,btd->bt", q[:, i], head_keys) / math.sqrt(self.head_dim)
                heads.append(torch.einsum("bt,btd->bd", scores.softmax(-1), head_values))
            outs.append(self.o_proj(torch.cat(heads, -1)))
        return torch.stack(outs, 1), tokens
''',
    "turned_when_read": '''\
def apply_rotary(x, places):
    half = x.shape[-1] // 2
    angles = torch.outer(places, 10000.0 ** (-torch.arange(half, dtype=x.dtype) / half))
    pairs = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous()) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat((pairs.real, pairs.imag), -1)


class DecoderAttention(nn.Module):
    """The cache holds keys that were not turned; all of them are, at each call, by complex numbers."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError("sizes that do not divide")
        self.kv, self.group, self.d = nums_key_value_head, nums_head // nums_key_value_head, hidden_dim // nums_head
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.kv, self.group, self.d).permute(0, 2, 3, 1, 4)
        new = torch.stack([p(x).view(b, n, self.kv, 1, self.d).permute(0, 2, 3, 1, 4) for p in (self.k_proj, self.v_proj)])
        both = new if cache is None else torch.cat([cache, new], dim=-2)
        k, v = both
        places = torch.arange(k.shape[-2], dtype=x.dtype)
        scores = apply_rotary(q, places[-n:]) @ apply_rotary(k, places).mT * self.d**-0.5
        scores = scores.masked_fill(places > places[-n:, None], -1e9)
        out = scores.softmax(-1) @ v
        return self.o_proj(out.permute(0, 3, 1, 2, 4).flatten(2)), both
''',
}
