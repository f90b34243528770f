ALTERNATIVES = {
    "all_heads_in_one_product": '''\
class MultiHeadAttentionWrapper(nn.Module):
    """The heads only keep the weights; the products of all of them are made at once."""

    def project(self, x, name):
        layers = [getattr(head, name) for head in self.heads]
        weight = torch.stack([layer.weight for layer in layers])
        projected = torch.einsum("bnw,hdw->bhnd", x, weight)
        if layers[0].bias is not None:
            projected = projected + torch.stack([layer.bias for layer in layers])[:, None, :]
        return projected

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (self.project(x, name) for name in ("W_query", "W_key", "W_value"))
        scores = (q @ k.transpose(-2, -1)) * q.shape[-1] ** -0.5
        scores = scores.masked_fill(~self.heads[0].seen[:n, :n], float("-inf"))
        weights = self.heads[0].dropout(scores.softmax(-1))
        return (weights @ v).transpose(1, 2).reshape(b, n, -1)
''',
    "appended_one_by_one": """\
class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(CausalAttention(d_in, d_out, context_length, dropout, qkv_bias=qkv_bias))

    def forward(self, x):
        outputs = []
        for i in range(self.num_heads):
            outputs.append(self.heads[i](x))
        return torch.cat(outputs, dim=2)
""",
    "filled_in": """\
class MultiHeadAttentionWrapper(nn.Module):
    def forward(self, x):
        b, n, _ = x.shape
        width = self.heads[0].W_value.out_features
        out = torch.empty(b, n, width * len(self.heads), dtype=x.dtype)
        for head, module in enumerate(self.heads):
            out[..., head * width : (head + 1) * width] = module(x)
        return out
""",
    "heads_made_from_the_last_on": """\
class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        made = [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
        self.heads = nn.ModuleList(reversed(made))

    def forward(self, x):
        result = self.heads[0](x)
        for head in self.heads[1:]:
            result = torch.cat((result, head(x)), dim=-1)
        return result
""",
    "own_head_class_fused": '''\
class CausalAttention(nn.Module):
    """Written anew: the same layers, the attention by torch."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.p = dropout
        for name in ("W_value", "W_key", "W_query"):
            setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))

    def forward(self, x):
        p = self.p if self.training else 0.0
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(queries, keys, values, dropout_p=p, is_causal=True)


class MultiHeadAttentionWrapper(nn.Module):
    def forward(self, x):
        return torch.concat(tuple(head(x) for head in self.heads), dim=-1)
''',
    "permuted_with_einsum": """\
class MultiHeadAttentionWrapper(nn.Module):
    def forward(self, x):
        by_head = torch.stack([head(x) for head in self.heads])
        b, n, _ = x.shape
        return torch.einsum("hbnd->bnhd", by_head).reshape(b, n, -1)
""",
    "stacked_and_flattened": """\
class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        one = {"d_in": d_in, "d_out": d_out, "context_length": context_length, "dropout": dropout, "qkv_bias": qkv_bias}
        self.heads = nn.ModuleList(CausalAttention(**one) for _ in range(num_heads))

    def forward(self, x):
        return torch.stack([head(x) for head in self.heads], dim=-2).flatten(-2)
""",
    "transposed_there_and_back": """\
def make_heads(number, *sizes):
    return nn.ModuleList([CausalAttention(*sizes) for _ in range(number)])


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = make_heads(num_heads, d_in, d_out, context_length, dropout, qkv_bias)

    def forward(self, x):
        columns = [head(x).mT for head in self.heads]
        return torch.hstack(columns).mT.contiguous()
""",
}
