import torch
from torch import nn
import torch.nn.functional as F


class CausalAttention(nn.Module):
    """One head, given: no token sees a later one. (b, n, d_in) becomes (b, n, d_out).

    The steps between the projections and the result are torch's here; unit 6 is about that function.
    """

    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("seen", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, p = x.shape[1], self.dropout.p if self.training else 0.0
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(queries, keys, values, attn_mask=self.seen[:n, :n], dropout_p=p)


class MultiHeadAttentionWrapper(nn.Module):
    """The heads only keep the weights; the products of all of them are made at once."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ):
        super().__init__()
        self.heads = nn.ModuleList(
            [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
        )

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
