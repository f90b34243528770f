ALTERNATIVES = {
    "as_in_the_document": """\
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.d_out = d_out
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, _ = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)
        values = values.view(b, num_tokens, self.num_heads, self.head_dim)
        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim)
        keys = keys.transpose(1, 2)
        queries = queries.transpose(1, 2)
        values = values.transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)
""",
    "einsum_scaled_query": """\
import math


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{num_heads} heads do not fit into {d_out}")
        self.h = num_heads
        self.drop = dropout
        self.out_proj = nn.Linear(d_out, d_out)
        for name in ("value", "key", "query"):
            setattr(self, f"W_{name}", nn.Linear(d_in, d_out, qkv_bias))
        visible = torch.ones(1, 1, context_length, context_length).tril().bool()
        self.register_buffer("mask", visible, persistent=False)

    def forward(self, x):
        n = x.size(1)
        q, k, v = (w(x).unflatten(-1, (self.h, -1)) for w in (self.W_query, self.W_key, self.W_value))
        scores = torch.einsum("bqhd,bkhd->bhqk", q / math.sqrt(q.size(-1)), k)
        scores = torch.where(self.mask[..., :n, :n], scores, torch.finfo(scores.dtype).min)
        weights = nn.functional.dropout(scores.softmax(-1), self.drop, self.training)
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
""",
    "fused": """\
class MultiHeadAttention(nn.Module):
    def forward(self, x):
        q, k, v = (
            layer(x).unflatten(2, (self.num_heads, self.head_dim)).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        p = self.dropout.p if self.training else 0.0
        out = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        return self.out_proj(out.transpose(1, 2).flatten(2))
""",
    "fused_with_a_mask": """\
from torch.nn.functional import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def forward(self, x):
        n = x.shape[1]
        q, k, v = (
            torch.stack(layer(x).chunk(self.num_heads, dim=-1), dim=1)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        out = scaled_dot_product_attention(
            q, k, v, attn_mask=~self.mask[:n, :n], dropout_p=self.dropout.p * self.training
        )
        return self.out_proj(torch.cat(out.unbind(1), dim=-1))
""",
    "heads_in_the_batch": '''\
class MultiHeadAttention(nn.Module):
    """Heads folded into the batch, one product for all three projections, the quarter power on both sides."""

    def _project(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.W_query.bias is None else torch.cat([layer.bias for layer in layers])
        return nn.functional.linear(x, weight, bias)

    def forward(self, x):
        b, n, _ = x.shape
        h = self.num_heads
        qkv = self._project(x).reshape(b, n, 3, h, -1).permute(2, 0, 3, 1, 4).reshape(3, b * h, n, -1)
        root = qkv.shape[-1] ** 0.25
        q, k, v = qkv[0] / root, qkv[1] / root, qkv[2]
        bias = torch.zeros(n, n, dtype=x.dtype).masked_fill(self.mask[:n, :n], -1e4)
        scores = torch.baddbmm(bias.expand(b * h, n, n), q, k.transpose(1, 2))
        weights = self.dropout(scores.float().softmax(dim=2).type_as(x))
        out = torch.bmm(weights, v).reshape(b, h, n, -1)
        return self.out_proj(out.movedim(1, 2).reshape(b, n, -1))
''',
    "loop_over_heads_renormalised": '''\
def causal_head(q, k, v, hidden, drop):
    weights = torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, dim=-1)
    weights = weights.masked_fill(hidden, 0)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return drop(weights) @ v


class MultiHeadAttention(nn.Module):
    """One head after the other; hidden weights set to 0 after the softmax, then each row divided by its new sum."""

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        heads = []
        for h in range(self.num_heads):
            part = slice(h * self.head_dim, (h + 1) * self.head_dim)
            heads.append(causal_head(q[..., part], k[..., part], v[..., part], self.mask[:n, :n], self.dropout))
        return self.out_proj(torch.cat(heads, dim=2))
''',
    "lower_right_corner_is_the_same": """\
class MultiHeadAttention(nn.Module):
    def heads(self, t):
        return torch.stack(t.split(self.head_dim, -1), 1)

    def forward(self, x):
        b, n, _ = x.shape
        Q, K, V = (self.heads(f(x)) for f in (self.W_query, self.W_key, self.W_value))
        m = self.mask[-n:, -n:]
        s = (Q / self.head_dim**0.25) @ (K / self.head_dim**0.25).mT
        w = F.dropout(F.softmax(torch.where(m, torch.finfo(s.dtype).min, s), -1), self.dropout.p, self.training)
        return self.out_proj((w @ V).swapaxes(1, 2).reshape(b, n, self.d_out))
""",
    "output_layer_per_head": """\
class MultiHeadAttention(nn.Module):
    def heads(self, t):
        return torch.stack(t.split(self.head_dim, -1), 1)

    def forward(self, x):
        _b, n, _ = x.shape
        Q, K, V = (self.heads(f(x)) for f in (self.W_query, self.W_key, self.W_value))
        w = self.dropout((Q @ K.mT * self.head_dim**-0.5).masked_fill(self.mask[:n, :n], -torch.inf).softmax(-1))
        W = self.out_proj.weight.view(self.d_out, self.num_heads, self.head_dim)
        return torch.einsum("bhij,bhjd,ohd->bio", w, V, W) + self.out_proj.bias
""",
    "plain_exp_times_the_mask": '''\
class MultiHeadAttention(nn.Module):
    """exp() of the scores as they are, hidden places times 0, then each row divided by its sum; masks kept by length."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).tril())
        self.visible = {}

    def forward(self, x):
        n = x.shape[1]
        if n not in self.visible:
            self.visible[n] = self.mask[:n, :n] > 0
        query, key, value = (
            layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        exps = torch.exp(query @ key.mT / query.shape[-1] ** 0.5) * self.visible[n]
        weights = self.dropout(exps / exps.sum(dim=-1, keepdim=True))
        return self.out_proj((weights @ value).transpose(1, 2).flatten(2))
''',
    "token_by_token": '''\
class MultiHeadAttention(nn.Module):
    """Each token attends to the tokens up to itself, so nothing has to be hidden; a plain exp instead of softmax."""

    def _drop(self, weights):
        if not self.training:
            return weights
        keep = torch.rand(weights.shape) >= self.dropout.p
        return torch.where(keep, weights / max(1 - self.dropout.p, 1e-9), 0)

    def forward(self, x):
        b, n, _ = x.shape
        split = (b, n, -1, self.head_dim)
        q, k, v = self.W_query(x).view(split), self.W_key(x).view(split), self.W_value(x).view(split)
        rows = []
        for i in range(n):
            scores = (q[:, i : i + 1] * k[:, : i + 1]).sum(-1) / self.head_dim**0.5
            weights = scores.exp() / scores.exp().sum(1, keepdim=True)
            rows.append((self._drop(weights)[..., None] * v[:, : i + 1]).sum(1).reshape(b, -1))
        return self.out_proj(torch.stack(rows, dim=1))
''',
    "torchs_multi_head_functional": """\
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out must be divisible by num_heads")
        self.out_proj = nn.Linear(d_out, d_out)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.register_buffer(
            "mask", torch.full((1, 1, context_length, context_length), -torch.inf).triu(1), persistent=False
        )
        self.h, self.d, self.p = num_heads, d_out, dropout

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (w(x).transpose(0, 1) for w in (self.W_query, self.W_key, self.W_value))
        eye = torch.eye(self.d, dtype=x.dtype)
        out, _ = F.multi_head_attention_forward(
            q, k, v, self.d, self.h, torch.cat([eye, eye, eye]), None, None, None, False, self.p,
            self.out_proj.weight, self.out_proj.bias, training=self.training,
            attn_mask=self.mask[0, 0, :n, :n].isinf(),
        )  # fmt: skip
        return out.transpose(0, 1)
""",
}
