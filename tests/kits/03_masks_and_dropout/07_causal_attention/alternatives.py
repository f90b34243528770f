ALTERNATIVES = {
    "as_in_the_document": """\
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = attn_weights @ values
        return context_vec
""",
    "einsum_visible_mask": """\
import math


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.p = dropout
        for name in ("value", "key", "query"):
            setattr(self, f"W_{name}", nn.Linear(d_in, d_out, qkv_bias))
        self.register_buffer("mask", torch.ones(context_length, context_length).tril(), persistent=False)

    def forward(self, x):
        n = x.size(-2)
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = torch.einsum("bqd,bkd->bqk", q / math.sqrt(q.size(-1)), k)
        scores = torch.where(self.mask[:n, :n] == 1, scores, torch.finfo(scores.dtype).min)
        weights = nn.functional.dropout(scores.softmax(-1), self.p, self.training)
        return torch.einsum("bqk,bkd->bqd", weights, v)
""",
    "fused": """\
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.p = dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.mask = nn.Buffer(torch.empty(0), persistent=False)  # the fused call knows what causal is

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        p = self.p if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
""",
    "fused_with_a_mask": """\
from torch.nn.functional import scaled_dot_product_attention


class CausalAttention(nn.Module):
    def forward(self, x):
        n = x.shape[1]
        q, k, v = (layer(x).unsqueeze(1) for layer in (self.W_query, self.W_key, self.W_value))
        seen = ~self.mask[:n, :n]
        out = scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=self.dropout.p * self.training)
        return out.squeeze(1)
""",
    "inherited_layers": """\
class Projections(nn.Module):
    def __init__(self, d_in, d_out, bias):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=bias)
        self.W_key = nn.Linear(d_in, d_out, bias=bias)
        self.W_value = nn.Linear(d_in, d_out, bias=bias)


class CausalAttention(Projections):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False):
        super().__init__(d_in, d_out, qkv_bias)
        self.attn_dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(1, 1, context_length, context_length).triu(1))

    def forward(self, inputs):
        tokens = inputs.shape[-2]
        query, key, value = self.W_query(inputs), self.W_key(inputs), self.W_value(inputs)
        scores = torch.matmul(query, key.permute(0, 2, 1)) * key.size(-1) ** -0.5
        scores = scores - 1e9 * self.mask[0, :, :tokens, :tokens]
        p_attn = self.attn_dropout(torch.nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(value.dtype))
        return torch.matmul(p_attn, value)
""",
    "logsumexp_and_dropout_by_hand": """\
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.p = dropout
        at = torch.arange(context_length)
        self.mask = nn.Buffer(torch.where(at > at[:, None], -10000.0, 0.0))
        for name in ("W_value", "W_key", "W_query"):
            self.add_module(name, nn.Linear(d_in, d_out, qkv_bias))

    def drop(self, weights):
        if not self.training or self.p == 0:
            return weights
        kept = torch.rand_like(weights) >= self.p
        return torch.where(kept, weights / (1 - self.p), 0.0) if self.p < 1 else weights * 0

    def forward(self, x):
        n = x.size(1)
        scores = self.W_query(x) @ self.W_key(x).mT / self.W_key.out_features**0.5 + self.mask[:n, :n]
        return self.drop((scores - scores.logsumexp(-1, keepdim=True)).exp()) @ self.W_value(x)
""",
    "mask_before_scale_renormalised": '''\
class CausalAttention(nn.Module):
    """Hidden weights set to 0 after the softmax, then each row divided by its new sum."""

    def forward(self, x):
        n = x.shape[1]
        weights = torch.softmax(self.W_query(x) @ self.W_key(x).mT * self.d_out**-0.5, dim=-1)
        weights = weights.masked_fill(self.mask[:n, :n], 0)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return self.dropout(weights) @ self.W_value(x)
''',
    "minus_1000_added": '''\
class CausalAttention(nn.Module):
    """-1000 is far enough below scores of this module; it is kept ready to be added, and so are masks already cut."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.full((context_length, context_length), -1000.0).triu(1))
        self.cut = {}

    def forward(self, x):
        n = x.shape[1]
        if n not in self.cut or self.cut[n].dtype != x.dtype:
            self.cut[n] = self.mask[:n, :n].to(x.dtype)
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = torch.baddbmm(self.cut[n].expand(x.shape[0], n, n), query, key.mT, alpha=query.shape[-1] ** -0.5)
        return self.dropout(scores.softmax(-1)) @ value
''',
    "one_product_baddbmm": '''\
class CausalAttention(nn.Module):
    """One product for all three projections, an additive mask inside of baddbmm, the quarter power on both sides."""

    def forward(self, x):
        b, n, _ = x.shape
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.W_query.bias is None else torch.cat([layer.bias for layer in layers])
        q, k, v = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
        root = q.shape[-1] ** 0.25
        bias = torch.zeros(n, n, dtype=x.dtype).masked_fill(self.mask[:n, :n], -1e4)
        scores = torch.baddbmm(bias.expand(b, n, n), q / root, (k / root).mT)
        weights = self.dropout(scores.float().softmax(dim=2).type_as(x))
        return torch.bmm(weights, v)
''',
    "plain_exp_times_the_mask": '''\
class CausalAttention(nn.Module):
    """exp() of the scores as they are, hidden places times 0, then each row divided by its sum."""

    def forward(self, x):
        n = x.shape[1]
        query, key = self.W_query(x), self.W_key(x)
        exps = torch.exp(query @ key.mT / query.shape[-1] ** 0.5) * ~self.mask[:n, :n]
        return self.dropout(exps / exps.sum(dim=-1, keepdim=True)) @ self.W_value(x)
''',
    "sequence_by_sequence": """\
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.full((1, context_length, context_length), float("-inf")).triu(diagonal=1))

    def forward(self, x):
        return torch.stack([self.attend(sequence) for sequence in x])

    def attend(self, x):
        keys, queries, values = self.W_key(x), self.W_query(x), self.W_value(x)
        scores = queries @ keys.T / keys.shape[-1] ** 0.5
        scores = scores + self.mask[0, : len(x), : len(x)]
        return self.dropout(torch.softmax(scores, dim=1)) @ values
""",
    "token_by_token_by_hand": '''\
class CausalAttention(nn.Module):
    """Each token attends to the tokens up to itself, so nothing has to be hidden; a plain exp, a dropout by hand."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = dropout
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.uint8).tril())
        self.register_buffer("root", torch.tensor(d_out).sqrt(), persistent=False)

    def _drop(self, weights):
        if not self.training:
            return weights
        keep = torch.rand(weights.shape) >= self.dropout
        return torch.where(keep, weights / max(1 - self.dropout, 1e-9), 0)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        rows = []
        for i in range(x.shape[1]):
            scores = (q[:, i : i + 1] * k[:, : i + 1]).sum(-1) / self.root
            weights = scores.exp() / scores.exp().sum(1, keepdim=True)
            rows.append((self._drop(weights)[..., None] * v[:, : i + 1]).sum(1))
        return torch.stack(rows, dim=1)
''',
}
