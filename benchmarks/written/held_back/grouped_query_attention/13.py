# slip: there is no check that nums_key_value_head divides nums_head
import torch
import torch.nn.functional as F
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int):
        super().__init__()
        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"
        self.n_heads = nums_head
        self.n_kv_heads = nums_key_value_head
        self.n_rep = nums_head // nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.n_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, self.n_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        bsz, seqlen, _ = X.shape
        xq = self.q_proj(X).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.k_proj(X).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        xv = self.v_proj(X).view(bsz, seqlen, self.n_kv_heads, self.head_dim).transpose(1, 2)
        xk = xk.repeat_interleave(self.n_rep, dim=1)
        xv = xv.repeat_interleave(self.n_rep, dim=1)
        out = F.scaled_dot_product_attention(xq, xk, xv)
        return self.o_proj(out.transpose(1, 2).reshape(bsz, seqlen, -1))
