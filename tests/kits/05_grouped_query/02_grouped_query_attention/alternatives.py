ALTERNATIVES = {
    "as_in_the_document": """\
import math


class GroupQueryAttention(nn.Module):
    def forward(self, X, attention_mask=None):
        batch_size, seq, _ = X.size()
        q = self.q_proj(X)
        k = self.k_proj(X)
        v = self.v_proj(X)
        q = q.view(batch_size, seq, self.nums_head, self.head_dim)
        k = k.view(batch_size, seq, self.nums_key_value_head, self.head_dim)
        v = v.view(batch_size, seq, self.nums_key_value_head, self.head_dim)
        q = q.transpose(1, 2)
        k = k.transpose(1, 2)
        v = v.transpose(1, 2)
        k = k.repeat_interleave(self.nums_head // self.nums_key_value_head, dim=1)
        v = v.repeat_interleave(self.nums_head // self.nums_key_value_head, dim=1)
        attention_score = (q @ k.transpose(2, 3)) / math.sqrt(self.head_dim)
        attention_weight = torch.softmax(attention_score, dim=-1)
        output = attention_weight @ v
        output = output.transpose(1, 2).contiguous()
        return self.o_proj(output.view(batch_size, seq, -1))
""",
    "expand_and_reshape": """\
def repeat_kv(x, n_rep):
    b, kv, n, d = x.shape
    return x[:, :, None].expand(b, kv, n_rep, n, d).reshape(b, kv * n_rep, n, d)


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int) -> None:
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("hidden_dim % nums_head")
        if nums_head % nums_key_value_head != 0:
            raise ValueError("nums_head % nums_key_value_head")
        self.heads, self.kv = nums_head, nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.head_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.scale = self.head_dim**-0.5

    def forward(self, X):
        b, s, _ = X.shape
        q = (self.q_proj(X) * self.scale).reshape(b, s, self.heads, -1).permute(0, 2, 1, 3)
        k = self.k_proj(X).reshape(b, s, self.kv, -1).permute(0, 2, 3, 1)
        v = self.v_proj(X).reshape(b, s, self.kv, -1).permute(0, 2, 1, 3)
        k = repeat_kv(k, self.heads // self.kv)
        v = repeat_kv(v, self.heads // self.kv)
        exps = torch.exp(q @ k)
        return self.o_proj((exps @ v / exps.sum(-1, keepdim=True)).permute(0, 2, 1, 3).flatten(2))
""",
    "fused": """\
class GroupQueryAttention(nn.Module):
    def forward(self, X):
        q, k, v = (
            layer(X).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        return self.o_proj(F.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2).flatten(2))
""",
    "grouped_queries_broadcast": '''\
class GroupQueryAttention(nn.Module):
    """(b, kv, group, s, d) against (b, kv, 1, s, d)."""

    def forward(self, X):
        b, s, hidden_dim = X.shape
        kv = self.nums_key_value_head
        q = self.q_proj(X).view(b, s, kv, self.nums_head // kv, -1).permute(0, 2, 3, 1, 4)
        k = self.k_proj(X).view(b, s, kv, 1, -1).permute(0, 2, 3, 4, 1)
        v = self.v_proj(X).view(b, s, kv, 1, -1).permute(0, 2, 3, 1, 4)
        scores = torch.matmul(q, k) / self.head_dim**0.5
        out = torch.matmul(torch.softmax(scores.float(), -1).type_as(X), v)
        return self.o_proj(out.permute(0, 3, 1, 2, 4).reshape(b, s, hidden_dim))
''',
    "grouped_queries_einsum": '''\
class GroupQueryAttention(nn.Module):
    """Nothing is repeated: the queries get an axis for the group."""

    def forward(self, hidden_states):
        kv, d = self.nums_key_value_head, self.head_dim
        q = self.q_proj(hidden_states).unflatten(-1, (kv, -1, d)) / d**0.25
        k = self.k_proj(hidden_states).unflatten(-1, (kv, d)) / d**0.25
        v = self.v_proj(hidden_states).unflatten(-1, (kv, d))
        weights = torch.einsum("bqkgd,bnkd->bkgqn", q, k).softmax(-1)
        return self.o_proj(torch.einsum("bkgqn,bnkd->bqkgd", weights, v).flatten(2))
''',
    "groups_stacked_as_rows": """\
class GroupQueryAttention(nn.Module):
    def forward(self, X):
        b, s, _ = X.shape
        Q = self.q_proj(X).view(b, s, self.nums_head, self.head_dim).transpose(1, 2)
        K = self.k_proj(X).view(b, s, self.nums_key_value_head, self.head_dim).transpose(1, 2)
        V = self.v_proj(X).view(b, s, self.nums_key_value_head, self.head_dim).transpose(1, 2)
        q = Q.reshape(b, self.nums_key_value_head, -1, self.head_dim)
        a = torch.softmax(q @ K.mT / self.head_dim**0.5, -1) @ V
        return self.o_proj(a.view(b, self.nums_head, s, self.head_dim).transpose(1, 2).contiguous().view(b, s, -1))
""",
    "loop_over_heads": """\
def attend(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ v


class GroupQueryAttention(nn.Module):
    def forward(self, X):
        group = self.nums_head // self.nums_key_value_head
        queries = self.q_proj(X).split(self.head_dim, dim=-1)
        keys = self.k_proj(X).split(self.head_dim, dim=-1)
        values = self.v_proj(X).split(self.head_dim, dim=-1)
        heads = [attend(q, keys[i // group], values[i // group]) for i, q in enumerate(queries)]
        return self.o_proj(torch.cat(heads, dim=-1))
""",
    "torchs_multi_head": '''\
class GroupQueryAttention(nn.Module):
    """The narrow weights are repeated, not the heads; then it is plain multi-head attention, and torch has that."""

    def _widened(self, parameter):
        by_head = parameter.unflatten(0, (self.nums_key_value_head, -1))
        return by_head.repeat_interleave(self.nums_head // self.nums_key_value_head, 0).flatten(0, 1)

    def forward(self, X):
        x = X.transpose(0, 1)
        bias = torch.cat([self.q_proj.bias, self._widened(self.k_proj.bias), self._widened(self.v_proj.bias)])
        out, _ = F.multi_head_attention_forward(
            x, x, x, X.shape[-1], self.nums_head, None, bias, None, None, False, 0.0,
            self.o_proj.weight, self.o_proj.bias, training=self.training, need_weights=False,
            use_separate_proj_weight=True, q_proj_weight=self.q_proj.weight,
            k_proj_weight=self._widened(self.k_proj.weight), v_proj_weight=self._widened(self.v_proj.weight),
        )  # fmt: skip
        return out.transpose(0, 1)
''',
}
