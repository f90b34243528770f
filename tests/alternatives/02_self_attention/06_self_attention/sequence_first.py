import torch
from torch import nn


class MySelfAttention(nn.Module):
    """(L, B, D) 로 계산 후 되돌림"""

    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(0.0)
        self.register_buffer("scale", torch.tensor(hidden_size**-0.5), persistent=False)

    def forward(self, x, mask=None):
        x = x.permute(1, 0, 2)
        q = self.linear_q(x) * self.scale
        s = torch.einsum("ibd,jbd->bij", q, self.linear_k(x))
        if mask is not None:
            s = s.masked_fill(mask, -1e9)
        p = self.dropout(torch.exp(s - torch.logsumexp(s, -1, True)))
        return torch.einsum("bij,jbd->ibd", p, self.linear_v(x)).permute(1, 0, 2)
