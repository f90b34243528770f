ALTERNATIVES = {
    "attention_function": """\
import math


def attention(query, key, value, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size: int, p: float = 0.0):
        super().__init__()
        self.linear_q, self.linear_k, self.linear_v = (nn.Linear(hidden_size, hidden_size) for _ in range(3))
        self.dropout = nn.Dropout(p)

    def forward(self, x, memory):
        output, self.last_weights = attention(
            self.linear_q(x), self.linear_k(memory), self.linear_v(memory), self.dropout
        )
        return output
""",
    "einsum_scaled_query": """\
class CrossAttention(nn.Module):
    def forward(self, x, memory):
        q = self.linear_q(x) * self.scaling
        scores = torch.einsum("bqd,bkd->bqk", q, self.linear_k(memory))
        return torch.einsum("bqk,bkd->bqd", scores.softmax(2), self.linear_v(memory))
""",
    "fused": """\
class CrossAttention(nn.Module):
    def forward(self, x, memory):
        return F.scaled_dot_product_attention(self.linear_q(x), self.linear_k(memory), self.linear_v(memory))
""",
    "library_multi_head": """\
class CrossAttention(nn.Module):
    def forward(self, x, memory):
        x, memory = x.transpose(0, 1), memory.transpose(0, 1)
        identity = torch.eye(x.shape[-1], dtype=x.dtype)  # an output layer that changes nothing
        output, _ = F.multi_head_attention_forward(
            x, memory, memory, x.shape[-1], 1, None, torch.cat([self.linear_q.bias, self.linear_k.bias, self.linear_v.bias]),
            None, None, False, 0.0, identity, None, training=self.training, need_weights=False,
            use_separate_proj_weight=True, q_proj_weight=self.linear_q.weight, k_proj_weight=self.linear_k.weight,
            v_proj_weight=self.linear_v.weight,
        )  # fmt: skip
        return output.transpose(0, 1)
""",
    "loop_over_the_batch": '''\
class CrossAttention(nn.Module):
    """Each pair of sequences for itself; scores as (key, query), so the softmax runs over dim 0."""

    def __init__(self, hidden_size):
        super().__init__()
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.scaling = torch.rsqrt(torch.tensor(float(hidden_size)))

    def forward(self, x, memory):
        outputs = []
        for asking, answering in zip(x, memory, strict=True):
            scores = self.linear_k(answering) @ self.linear_q(asking).T * self.scaling
            outputs.append(scores.softmax(dim=0).T @ self.linear_v(answering))
        return torch.stack(outputs)
''',
    "one_product_for_key_and_value": '''\
"""Key and value from one fused product, the division by the sum left for the end, a Linear class of its own."""


class Projection(nn.Linear):
    pass


class CrossAttention(nn.Module):
    def __init__(self, hidden_size, **unused):
        super().__init__()
        self.linear_v, self.linear_k, self.linear_q = (Projection(hidden_size, hidden_size) for _ in range(3))
        self.dropout = nn.Dropout(0.0)

    def forward(self, x, memory=None, mask=None):
        memory = x if memory is None else memory
        both = torch.cat((self.linear_k.weight, self.linear_v.weight))
        biases = torch.cat((self.linear_k.bias, self.linear_v.bias))
        key, value = F.linear(memory, both, biases).chunk(2, dim=-1)
        query = self.linear_q(x)
        scores = torch.baddbmm(query.new_zeros(1), query, key.transpose(1, 2), beta=0, alpha=x.shape[-1] ** -0.5)
        grown = self.dropout(torch.exp(scores - scores.amax(-1, keepdim=True)))
        return torch.bmm(grown, value) / grown.sum(-1, keepdim=True)
''',
    "query_by_query": """\
def weights_of(q, keys):
    scores = (keys * q.unsqueeze(1)).sum(-1) / q.shape[-1] ** 0.5
    return torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True))


class CrossAttention(nn.Module):
    def forward(self, x, memory):
        k, v = self.linear_k(memory), self.linear_v(memory)
        rows = [(weights_of(self.linear_q(token), k).unsqueeze(-1) * v).sum(1) for token in x.unbind(1)]
        return torch.stack(rows, dim=1)
""",
}
