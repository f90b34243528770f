ALTERNATIVES = {
    "cache_of_inputs": '''\
class CachedAttention(nn.Module):
    """The cache is the text itself: less clever, but nothing in the contract is against it."""

    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("hidden_dim must be a multiple of nums_head")
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.heads = nums_head

    def forward(self, x, cache=None):
        new = x.size(1)
        text = x if cache is None else torch.cat((cache, x), 1)
        q, k, v = (f(text).unflatten(-1, (self.heads, -1)) for f in (self.q_proj, self.k_proj, self.v_proj))
        scores = torch.einsum("bihd,bjhd->bhij", q * q.size(-1) ** -0.5, k)
        scores = scores + torch.full_like(scores[0, 0], float("-inf")).triu(1)
        out = torch.einsum("bhij,bjhd->bihd", scores.softmax(-1), v).flatten(2)
        return self.o_proj(out)[:, -new:], text
''',
    "fused_with_an_offset_mask": """\
class CachedAttention(nn.Module):
    def _heads(self, x):
        return x.unflatten(2, (self.nums_head, self.head_dim)).transpose(1, 2)

    def forward(self, x, cache=None):
        k, v = self._heads(self.k_proj(x)), self._heads(self.v_proj(x))
        if cache:
            k = torch.cat([cache["k"], k], -2)
            v = torch.cat([cache["v"], v], -2)
        n, total = x.shape[1], k.shape[-2]
        visible = torch.ones(total, total, dtype=torch.bool).tril()[-n:]
        out = F.scaled_dot_product_attention(self._heads(self.q_proj(x)), k, v, attn_mask=visible)
        return self.o_proj(out.transpose(1, 2).flatten(2)), dict(k=k, v=v)
""",
    "library_multi_head": '''\
class CachedAttention(nn.Module):
    """torch's own multi-head attention does the work; the cache holds the widths that go into it."""

    def forward(self, x, cache=None):
        text = x if cache is None else torch.cat([cache, x], dim=1)
        n, total = x.shape[1], text.shape[1]
        mask = torch.ones(total, total).triu(1).bool()[total - n :]
        out, _ = F.multi_head_attention_forward(
            x.transpose(0, 1), text.transpose(0, 1), text.transpose(0, 1), x.shape[-1], self.nums_head, None,
            torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias]), None, None, False, 0.0,
            self.o_proj.weight, self.o_proj.bias, need_weights=False, attn_mask=mask,
            use_separate_proj_weight=True, q_proj_weight=self.q_proj.weight,
            k_proj_weight=self.k_proj.weight, v_proj_weight=self.v_proj.weight,
        )  # fmt: skip
        return out.transpose(0, 1), text
''',
    "list_of_chunks": '''\
class CachedAttention(nn.Module):
    """The cache is a tuple of all chunks so far, each (k, v) in (batch, tokens, width); returns a list."""

    def forward(self, x, cache=()):
        chunks = (*(cache or ()), (self.k_proj(x), self.v_proj(x)))
        keys = torch.cat([k for k, _ in chunks], dim=1)
        values = torch.cat([v for _, v in chunks], dim=1)
        past = keys.shape[1] - x.shape[1]
        position = torch.arange(keys.shape[1])
        hidden = position[None, :] > position[past:, None]
        heads = []
        for q, k, v in zip(*(t.chunk(self.nums_head, -1) for t in (self.q_proj(x), keys, values))):
            scores = torch.baddbmm(torch.zeros(()).to(x), q, k.mT, beta=0, alpha=q.shape[-1] ** -0.5)
            heads.append(scores.masked_fill(hidden, -1e9).softmax(-1) @ v)
        return [self.o_proj(torch.cat(heads, -1)), chunks]
''',
    "numbered_in_the_module": '''\
import itertools


class CachedAttention(nn.Module):
    """The caches stay in the module, each under a number of its own; what is handed out is the number, plus one."""

    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        assert hidden_dim // nums_head * nums_head == hidden_dim
        self.h = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kept, self.numbers = {}, itertools.count(1)

    def forward(self, x, cache=None):
        b, n, d = x.shape
        q, k, v = (p(x).view(b, n, self.h, -1).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        if cache:
            old_k, old_v = self.kept[cache]
            k, v = torch.cat([old_k, k], dim=2), torch.cat([old_v, v], dim=2)
        scores = q @ k.mT * q.shape[-1] ** -0.5
        past = k.shape[2] - n
        mask = torch.tril(torch.ones(n, past + n), diagonal=past)
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        number = next(self.numbers)
        self.kept[number] = k, v
        return self.o_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2)), number
''',
    "own_class_of_cache": '''\
import math
from typing import NamedTuple, Optional


class Cache(NamedTuple):
    keys: torch.Tensor
    values: torch.Tensor
    seen: int


class CachedAttention(nn.Module):
    """Room is made ahead and filled in, on a clone, so that the old cache stays as it was."""

    def split(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.nums_head, d // self.nums_head).permute(0, 2, 1, 3)

    def grown(self, room, seen, new):
        longer = new.new_zeros(*new.shape[:2], 2 * (seen + new.shape[2]), new.shape[3])
        if room is not None:
            longer[:, :, :seen] = room[:, :, :seen]
        longer[:, :, seen : seen + new.shape[2]] = new
        return longer

    def forward(self, x, cache: Optional[Cache] = None):
        b, n, d = x.shape
        seen = cache.seen if cache else 0
        keys = self.grown(cache.keys if cache else None, seen, self.split(self.k_proj(x)))
        values = self.grown(cache.values if cache else None, seen, self.split(self.v_proj(x)))
        q = self.split(self.q_proj(x)) / math.sqrt(d // self.nums_head)
        rows = []
        for i in range(n):
            end = seen + i + 1
            w = (q[:, :, i : i + 1] @ keys[:, :, :end].mT).softmax(dim=-1)
            rows.append(w @ values[:, :, :end])
        out = torch.cat(rows, dim=2).transpose(1, 2).contiguous().view(b, n, d)
        return self.o_proj(out), Cache(keys, values, seen + n)
''',
    "renormalised_after_the_softmax": '''\
class CachedAttention(nn.Module):
    """Hidden weights set to 0 after the softmax, then each row divided by what is left of it."""

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
''',
}
