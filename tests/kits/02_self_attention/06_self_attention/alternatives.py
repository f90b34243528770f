ALTERNATIVES = {
    "baddbmm_quarter_power": """\
class MySelfAttention(nn.Module):
    def forward(self, x):
        b, n, d = x.size()
        root = d**0.25
        q, k, v = self.linear_q(x) / root, self.linear_k(x) / root, self.linear_v(x)
        scores = torch.baddbmm(x.new_zeros(b, n, n), q, k.permute(0, 2, 1))
        return torch.bmm(nn.Softmax(dim=-1)(scores.float()).type_as(x), v)
""",
    "checkpointed_quarter_power": """\
from torch.utils.checkpoint import checkpoint


def attend(q, k, v):
    r = q.shape[-1] ** 0.25
    scores = torch.matmul(q / r, torch.transpose(k / r, -2, -1))
    p_attn = F.softmax(scores.float(), dim=-1).type_as(q)
    return torch.matmul(p_attn, v)


class MySelfAttention(nn.Module):
    def forward(self, x):
        return checkpoint(attend, self.linear_q(x), self.linear_k(x), self.linear_v(x), use_reentrant=False)
""",
    "einsum_scaled_query": """\
import math


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        for name in ("linear_q", "linear_k", "linear_v"):
            setattr(self, name, nn.Linear(hidden_size, hidden_size))

    def forward(self, x):
        q = self.linear_q(x) / math.sqrt(self.hidden_size)
        scores = torch.einsum("bqd,bkd->bqk", q, self.linear_k(x))
        return torch.einsum("bqk,bkd->bqd", scores.softmax(2), self.linear_v(x))
""",
    "fused": """\
class MySelfAttention(nn.Module):
    def forward(self, x):
        return F.scaled_dot_product_attention(self.linear_q(x), self.linear_k(x), self.linear_v(x))
""",
    "keys_in_columns": '''\
import math


class MySelfAttention(nn.Module):
    """Scores as (batch, key, query): the softmax then runs over dim 1, and nothing is wrong with that."""

    def forward(self, x):
        scores = self.linear_k(x) @ self.linear_q(x).transpose(1, 2)
        scores /= math.sqrt(self.linear_q.out_features)
        weights = torch.softmax(scores, dim=1)
        return weights.transpose(1, 2) @ self.linear_v(x)
''',
    "library_multi_head": """\
class MySelfAttention(nn.Module):
    def forward(self, x):
        x = x.transpose(0, 1)
        identity = torch.eye(x.shape[-1], dtype=x.dtype)  # an output layer that changes nothing
        output, _ = F.multi_head_attention_forward(
            x, x, x, x.shape[-1], 1, None, torch.cat([self.linear_q.bias, self.linear_k.bias, self.linear_v.bias]),
            None, None, False, 0.0, identity, None, training=self.training, need_weights=False,
            use_separate_proj_weight=True, q_proj_weight=self.linear_q.weight, k_proj_weight=self.linear_k.weight,
            v_proj_weight=self.linear_v.weight,
        )  # fmt: skip
        return output.transpose(0, 1)
""",
    "loop_over_the_batch": """\
def attend(q, k, v, scale):
    exps = torch.exp((q * scale) @ k.T)
    return (exps / exps.sum(dim=1, keepdim=True)) @ v


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q, self.linear_k, self.linear_v = (nn.Linear(hidden_size, hidden_size) for _ in range(3))
        self.register_buffer("scale", torch.tensor(hidden_size).rsqrt())

    def forward(self, x):
        scale = self.scale
        return torch.stack([attend(self.linear_q(s), self.linear_k(s), self.linear_v(s), scale) for s in x])
""",
    "one_projection_and_chunks": """\
class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        for name in ["linear_k", "linear_v", "linear_q"]:
            self.add_module(name, nn.Linear(hidden_size, hidden_size))
        self.softmax = nn.Softmax(dim=2)
        self.scaling = torch.rsqrt(torch.tensor(float(hidden_size)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        layers = (self.linear_q, self.linear_k, self.linear_v)
        weight, bias = torch.cat([m.weight for m in layers]), torch.cat([m.bias for m in layers])
        query, key, value = F.linear(x, weight, bias).split(x.size(-1), dim=-1)
        return self.softmax((query * self.scaling).matmul(key.mT)).matmul(value)
""",
    "query_by_query": """\
def weights_of(q, keys):
    scores = (keys * q.unsqueeze(1)).sum(-1) / q.shape[-1] ** 0.5
    return torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True))


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size, *, dropout=0.0):
        super().__init__()
        self.linear_q, self.linear_k, self.linear_v = (nn.Linear(hidden_size, hidden_size) for _ in "qkv")
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = self.linear_q(x), self.linear_k(x), self.linear_v(x)
        rows = []
        for i in range(x.size(1)):
            w = self.dropout(weights_of(q[:, i], k))
            rows.append((w.unsqueeze(-1) * v).sum(1))
        return torch.stack(rows, 1)
""",
    "sequence_first": '''\
class MySelfAttention(nn.Module):
    """(L, B, D) 로 계산 후 되돌림"""

    def forward(self, x, mask=None):
        x = x.permute(1, 0, 2)
        q = self.linear_q(x) * self.scaling
        s = torch.einsum("ibd,jbd->bij", q, self.linear_k(x))
        if mask is not None:
            s = s.masked_fill(mask, -1e9)
        p = torch.exp(s - torch.logsumexp(s, -1, True))
        return torch.einsum("bij,jbd->ibd", p, self.linear_v(x)).permute(1, 0, 2)
''',
}
