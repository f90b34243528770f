# slip: a causal mask is applied although every token should see every token
import torch
import torch.nn.functional as F
from torch import nn


def repeat_kv(hidden_states: torch.Tensor, n_rep: int) -> torch.Tensor:
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("hidden_dim must be divisible by nums_head")
        if nums_head % nums_key_value_head != 0:
            raise ValueError("nums_head must be divisible by nums_key_value_head")
        self.head_dim = hidden_dim // nums_head
        self.num_key_value_groups = nums_head // nums_key_value_head
        self.q_proj = nn.Linear(hidden_dim, nums_head * self.head_dim, bias=True)
        self.k_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim, bias=True)
        self.v_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim, bias=True)
        self.o_proj = nn.Linear(nums_head * self.head_dim, hidden_dim, bias=True)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        input_shape = X.shape[:-1]
        hidden_shape = (*input_shape, -1, self.head_dim)
        query_states = self.q_proj(X).view(hidden_shape).transpose(1, 2)
        key_states = self.k_proj(X).view(hidden_shape).transpose(1, 2)
        value_states = self.v_proj(X).view(hidden_shape).transpose(1, 2)
        key_states = repeat_kv(key_states, self.num_key_value_groups)
        value_states = repeat_kv(value_states, self.num_key_value_groups)
        attn_output = F.scaled_dot_product_attention(query_states, key_states, value_states, is_causal=True)
        attn_output = attn_output.transpose(1, 2).reshape(*input_shape, -1).contiguous()
        return self.o_proj(attn_output)
