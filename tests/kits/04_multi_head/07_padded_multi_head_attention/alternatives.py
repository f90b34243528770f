ALTERNATIVES = {
    "additive_mask": '''\
class MultiHeadAttention(nn.Module):
    """A mask that is added, the scale on the query, float32 softmax, layers made in another order."""

    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError(f"{nums_head} heads do not fit into {hidden_dim}")
        self.num_heads = nums_head
        self.att_dropout = nn.Dropout(p=dropout)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("scale", torch.tensor((hidden_dim // nums_head) ** -0.5), persistent=False)

    def forward(self, X, attention_mask=None):
        b, s, _ = X.shape
        q = (self.q_proj(X) * self.scale).reshape(b, s, self.num_heads, -1)
        k = self.k_proj(X).reshape(b, s, self.num_heads, -1)
        v = self.v_proj(X).reshape(b, s, self.num_heads, -1)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        if attention_mask is not None:
            bias = (1.0 - attention_mask.to(X.dtype)) * torch.finfo(X.dtype).min
            scores = scores + bias.reshape(b, 1, 1, s)
        weights = self.att_dropout(scores.float().softmax(-1).type_as(X))
        return self.o_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(start_dim=2))
''',
    "as_in_the_document": """\
import math


class MultiHeadAttention(nn.Module):
    def forward(self, X, attention_mask=None):
        batch_size, seq_len, _ = X.size()
        q_state = self.q_proj(X).view(batch_size, seq_len, self.nums_head, self.head_dim).permute(0, 2, 1, 3)
        k_state = self.k_proj(X).view(batch_size, seq_len, self.nums_head, self.head_dim).transpose(1, 2)
        v_state = self.v_proj(X).view(batch_size, seq_len, self.nums_head, self.head_dim).transpose(1, 2)
        attention_weight = q_state @ k_state.transpose(-1, -2) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            attention_mask = attention_mask.unsqueeze(1).unsqueeze(2).expand_as(attention_weight)
            attention_weight = attention_weight.masked_fill(attention_mask == 0, float("-1e20"))
        attention_weight = torch.softmax(attention_weight, dim=3)
        attention_weight = self.att_dropout(attention_weight)
        output_mid = attention_weight @ v_state
        output_mid = output_mid.transpose(1, 2).contiguous()
        output = output_mid.view(batch_size, seq_len, -1)
        return self.o_proj(output)
""",
    "fused": """\
class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.shape = nums_head, hidden_dim // nums_head
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.att_dropout = dropout

    def forward(self, X, attention_mask=None):
        q, k, v = (layer(X).unflatten(-1, self.shape).transpose(1, 2) for layer in (self.q_proj, self.k_proj, self.v_proj))
        if attention_mask is not None:
            attention_mask = attention_mask.bool()[:, None, None]
        out = F.scaled_dot_product_attention(q, k, v, attention_mask, self.att_dropout if self.training else 0.0)
        return self.o_proj(out.transpose(1, 2).flatten(2))
""",
    "heads_in_the_batch": '''\
class MultiHeadAttention(nn.Module):
    """Heads folded into the batch, the mask repeated for each head, the quarter power on both sides, renormalised."""

    def _fold(self, x):
        b, s, _ = x.shape
        return x.view(b, s, self.nums_head, -1).permute(0, 2, 1, 3).reshape(b * self.nums_head, s, -1)

    def forward(self, X, attention_mask=None):
        b, s, width = X.shape
        q, k, v = (self._fold(layer(X)) for layer in (self.q_proj, self.k_proj, self.v_proj))
        root = (width // self.nums_head) ** 0.25
        weights = torch.softmax(torch.bmm(q / root, (k / root).transpose(1, 2)), dim=2)
        if attention_mask is not None:
            real = attention_mask.to(weights.dtype).repeat_interleave(self.nums_head, dim=0).unsqueeze(1)
            weights = weights * real
            weights = weights / weights.sum(dim=-1, keepdim=True)
        weights = nn.functional.dropout(weights, self.att_dropout.p, self.training)
        out = torch.bmm(weights, v).view(b, self.nums_head, s, -1)
        return self.o_proj(out.transpose(1, 2).reshape(b, s, width))
''',
    "library_function": '''\
class MultiHeadAttention(nn.Module):
    """torch's own function does all of it; its key_padding_mask is True where there is padding."""

    def forward(self, X, attention_mask=None):
        layers = (self.q_proj, self.k_proj, self.v_proj)
        first = X.transpose(0, 1)
        out, _ = F.multi_head_attention_forward(
            first, first, first, X.shape[-1], self.nums_head, torch.cat([layer.weight for layer in layers]),
            torch.cat([layer.bias for layer in layers]), None, None, False, self.att_dropout.p,
            self.o_proj.weight, self.o_proj.bias, training=self.training, need_weights=False,
            key_padding_mask=None if attention_mask is None else attention_mask == 0,
        )  # fmt: skip
        return out.transpose(0, 1)
''',
    "plain_exp_times_the_mask": '''\
class MultiHeadAttention(nn.Module):
    """exp() of the scores as they are, padding times 0, then each row divided by its sum."""

    def forward(self, X, attention_mask=None):
        query, key, value = (
            layer(X).unflatten(-1, (self.nums_head, -1)).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        exps = torch.exp(query @ key.mT / query.shape[-1] ** 0.5)
        if attention_mask is not None:
            exps = exps * (attention_mask != 0)[:, None, None, :]
        weights = self.att_dropout(exps / exps.sum(dim=-1, keepdim=True))
        return self.o_proj((weights @ value).transpose(1, 2).flatten(2))
''',
    "sequence_by_sequence": '''\
class MultiHeadAttention(nn.Module):
    """One sequence and one head at a time; only the keys and values of real tokens are picked out at all."""

    def _head(self, q, k, v):
        powers = torch.exp(q @ k.T / self.head_dim**0.5)
        return self.att_dropout(powers / powers.sum(dim=1, keepdim=True)) @ v

    def forward(self, X, attention_mask=None):
        if attention_mask is None:
            attention_mask = torch.ones(X.shape[:2])
        rows = []
        for x, real in zip(X, attention_mask != 0):
            q, k, v = self.q_proj(x), self.k_proj(x[real]), self.v_proj(x[real])
            pieces = [self._head(*each) for each in zip(*(t.split(self.head_dim, dim=1) for t in (q, k, v)))]
            rows.append(self.o_proj(torch.cat(pieces, dim=1)))
        return torch.stack(rows)
''',
    "where_and_a_small_fill": '''\
from torch import softmax


class MultiHeadAttention(nn.Module):
    """torch.where with -1e4, softmax without a keyword, a mask of ones when there is none, layers in a loop."""

    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        self.head_dim = hidden_dim // nums_head
        if self.head_dim * nums_head != hidden_dim:
            raise ValueError("hidden_dim must be a multiple of nums_head")
        for name in "qkvo":
            self.add_module(f"{name}_proj", nn.Linear(hidden_dim, hidden_dim))
        self.att_dropout = nn.Dropout(dropout)

    def split(self, x):
        return torch.stack(x.split(self.head_dim, dim=-1), dim=1)

    def forward(self, X, attention_mask=None):
        if attention_mask is None:
            attention_mask = X.new_ones(X.shape[0], X.shape[1])
        visible = attention_mask.to(torch.bool).view(X.shape[0], 1, 1, -1)
        q, k, v = self.split(self.q_proj(X)), self.split(self.k_proj(X)), self.split(self.v_proj(X))
        scores = torch.where(visible, q.matmul(k.mT), torch.tensor(-1e4, dtype=X.dtype))
        weights = self.att_dropout(softmax(scores * self.head_dim**-0.5, -1))
        return self.o_proj(torch.cat(weights.matmul(v).unbind(1), dim=-1))
''',
}
