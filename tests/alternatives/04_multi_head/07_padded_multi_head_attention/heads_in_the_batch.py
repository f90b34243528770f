import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Heads folded into the batch, the mask repeated for each head, the quarter power on both sides, renormalised."""

    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        assert nums_head > 0 and hidden_dim % nums_head == 0
        self.h = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def _fold(self, x):
        b, s, _ = x.shape
        return x.view(b, s, self.h, -1).permute(0, 2, 1, 3).reshape(b * self.h, s, -1)

    def forward(self, X, attention_mask=None):
        b, s, width = X.shape
        q, k, v = (self._fold(layer(X)) for layer in (self.q_proj, self.k_proj, self.v_proj))
        root = (width // self.h) ** 0.25
        weights = torch.softmax(torch.bmm(q / root, (k / root).transpose(1, 2)), dim=2)
        if attention_mask is not None:
            real = attention_mask.to(weights.dtype).repeat_interleave(self.h, dim=0).unsqueeze(1)
            weights = weights * real
            weights = weights / weights.sum(dim=-1, keepdim=True)
        weights = nn.functional.dropout(weights, self.p, self.training)
        out = torch.bmm(weights, v).view(b, self.h, s, -1)
        return self.o_proj(out.transpose(1, 2).reshape(b, s, width))
