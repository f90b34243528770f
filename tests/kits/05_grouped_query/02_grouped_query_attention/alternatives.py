ALTERNATIVES = {
    "as_in_the_document": """\
import math

import torch
import torch.nn as nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        assert nums_head % nums_key_value_head == 0
        self.hidden_dim = hidden_dim
        self.nums_head = nums_head
        self.nums_key_value_head = nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, nums_head * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

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
import torch
from torch import nn


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
import torch.nn.functional as F
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0 and nums_head % nums_key_value_head == 0
        self.head_dim = hidden_dim // nums_head
        kv_dim = nums_key_value_head * self.head_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, kv_dim)
        self.v_proj = nn.Linear(hidden_dim, kv_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        q, k, v = (
            layer(X).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        return self.o_proj(F.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2).flatten(2))
""",
    "grouped_queries_broadcast": '''\
import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    """(b, kv, group, s, d) against (b, kv, 1, s, d)."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError("indivisible")
        self.nums_head, self.kv = nums_head, nums_key_value_head
        width = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, nums_head * width)
        self.k_proj = nn.Linear(hidden_dim, self.kv * width)
        self.v_proj = nn.Linear(hidden_dim, self.kv * width)
        self.o_proj = nn.Linear(nums_head * width, hidden_dim)
        self.register_buffer("root", torch.tensor(float(width)).sqrt())

    def forward(self, X):
        b, s, hidden_dim = X.shape
        q = self.q_proj(X).view(b, s, self.kv, self.nums_head // self.kv, -1).permute(0, 2, 3, 1, 4)
        k = self.k_proj(X).view(b, s, self.kv, 1, -1).permute(0, 2, 3, 4, 1)
        v = self.v_proj(X).view(b, s, self.kv, 1, -1).permute(0, 2, 3, 1, 4)
        scores = torch.matmul(q, k) / self.root
        out = torch.matmul(torch.softmax(scores.float(), -1).type_as(X), v)
        return self.o_proj(out.permute(0, 3, 1, 2, 4).reshape(b, s, hidden_dim))
''',
    "grouped_queries_einsum": '''\
import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    """Nothing is repeated: the queries get an axis for the group."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert not hidden_dim % nums_head and not nums_head % nums_key_value_head
        self.kv, self.d = nums_key_value_head, hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj, self.v_proj = (nn.Linear(hidden_dim, self.kv * self.d) for _ in "kv")
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, hidden_states):
        q = self.q_proj(hidden_states).unflatten(-1, (self.kv, -1, self.d)) / self.d**0.25
        k = self.k_proj(hidden_states).unflatten(-1, (self.kv, self.d)) / self.d**0.25
        v = self.v_proj(hidden_states).unflatten(-1, (self.kv, self.d))
        weights = torch.einsum("bqkgd,bnkd->bkgqn", q, k).softmax(-1)
        return self.o_proj(torch.einsum("bkgqn,bnkd->bqkgd", weights, v).flatten(2))
''',
    "groups_stacked_as_rows": """\
import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        assert nums_head % nums_key_value_head == 0
        self.h, self.kv, self.d = nums_head, nums_key_value_head, hidden_dim // nums_head
        self.g = self.h // self.kv
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        b, s, _ = X.shape
        Q = self.q_proj(X).view(b, s, self.h, self.d).transpose(1, 2)
        K = self.k_proj(X).view(b, s, self.kv, self.d).transpose(1, 2)
        V = self.v_proj(X).view(b, s, self.kv, self.d).transpose(1, 2)
        q = Q.reshape(b, self.kv, self.g * s, self.d)
        a = torch.softmax(q @ K.mT / self.d**0.5, -1) @ V
        return self.o_proj(a.view(b, self.h, s, self.d).transpose(1, 2).contiguous().view(b, s, -1))
""",
    "loop_over_heads": """\
import torch
from torch import nn


def attend(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ v


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head:
            raise AssertionError("hidden_dim")
        if nums_head % nums_key_value_head:
            raise AssertionError("nums_key_value_head")
        self.d = hidden_dim // nums_head
        self.group = nums_head // nums_key_value_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim // self.group)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim // self.group)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        queries = self.q_proj(X).split(self.d, dim=-1)
        keys = self.k_proj(X).split(self.d, dim=-1)
        values = self.v_proj(X).split(self.d, dim=-1)
        heads = [attend(q, keys[i // self.group], values[i // self.group]) for i, q in enumerate(queries)]
        return self.o_proj(torch.cat(heads, dim=-1))
""",
    "torchs_multi_head": '''\
import torch
import torch.nn.functional as F
from torch import nn


class GroupQueryAttention(nn.Module):
    """The narrow weights are repeated, not the heads; then it is plain multi-head attention, and torch has that."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError(f"{hidden_dim} / {nums_head} / {nums_key_value_head}")
        self.hidden_dim, self.nums_head, self.kv = hidden_dim, nums_head, nums_key_value_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        narrow = hidden_dim // nums_head * nums_key_value_head
        self.k_proj = nn.Linear(hidden_dim, narrow)
        self.v_proj = nn.Linear(hidden_dim, narrow)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _widened(self, parameter):
        by_head = parameter.unflatten(0, (self.kv, -1))
        return by_head.repeat_interleave(self.nums_head // self.kv, 0).flatten(0, 1)

    def forward(self, X):
        x = X.transpose(0, 1)
        bias = torch.cat([self.q_proj.bias, self._widened(self.k_proj.bias), self._widened(self.v_proj.bias)])
        out, _ = F.multi_head_attention_forward(
            x, x, x, self.hidden_dim, self.nums_head, None, bias, None, None, False, 0.0,
            self.o_proj.weight, self.o_proj.bias, training=self.training, need_weights=False,
            use_separate_proj_weight=True, q_proj_weight=self.q_proj.weight,
            k_proj_weight=self._widened(self.k_proj.weight), v_proj_weight=self._widened(self.v_proj.weight),
        )  # fmt: skip
        return out.transpose(0, 1)
''',
    "torchs_multi_head_functional": """\
import torch
import torch.nn.functional as F
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError("indivisible")
        d = hidden_dim // nums_head
        for name, out in {
            "v_proj": nums_key_value_head * d,
            "k_proj": nums_key_value_head * d,
            "o_proj": hidden_dim,
            "q_proj": hidden_dim,
        }.items():
            setattr(self, name, nn.Linear(hidden_dim, out))
        self.a = hidden_dim, nums_head, nums_key_value_head, d

    def wide(self, layer):
        E, h, kv, d = self.a
        w = layer.weight.view(kv, 1, d, E).expand(kv, h // kv, d, E).reshape(E, E)
        b = layer.bias.view(kv, 1, d).expand(kv, h // kv, d).reshape(E)
        return w, b

    def forward(self, X, attention_mask=None):
        (wk, bk), (wv, bv) = self.wide(self.k_proj), self.wide(self.v_proj)
        t = X.transpose(0, 1)
        out, _ = F.multi_head_attention_forward(
            t,
            t,
            t,
            self.a[0],
            self.a[1],
            torch.cat([self.q_proj.weight, wk, wv]),
            torch.cat([self.q_proj.bias, bk, bv]),
            None,
            None,
            False,
            0.0,
            self.o_proj.weight,
            self.o_proj.bias,
            need_weights=False,
        )
        return out.transpose(0, 1)
""",
}
