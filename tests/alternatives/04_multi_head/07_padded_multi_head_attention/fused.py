import torch.nn.functional as F
from torch import nn


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
