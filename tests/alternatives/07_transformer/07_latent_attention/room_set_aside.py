import torch
from torch import nn


class LatentAttention(nn.Module):
    """Old and new latents copied into a tensor made for them; an additive mask; multiplication by hand."""

    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError(hidden_dim, nums_head)
        self.h, self.scale = nums_head, (hidden_dim / nums_head) ** -0.5
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, False)

    def forward(self, x, cache=None):
        b, n, d = x.shape
        past = cache.shape[1] if cache is not None else 0
        room = torch.empty(b, past + n, self.kv_down.out_features, dtype=x.dtype)
        if past:
            room[:, :past] = cache
        room[:, past:] = self.kv_down(x)
        q = self.q_proj(x).reshape(b, n, self.h, -1).transpose(1, 2).reshape(b * self.h, n, -1)
        k, v = (
            up(room).reshape(b, past + n, self.h, -1).transpose(1, 2).reshape(b * self.h, past + n, -1)
            for up in (self.k_up, self.v_up)
        )
        mask = torch.zeros(n, past + n, dtype=x.dtype)
        mask[:, past:] = torch.full((n, n), torch.finfo(x.dtype).min, dtype=x.dtype).triu(1)
        scores = torch.baddbmm(mask, q, k.mT, alpha=self.scale)
        out = torch.bmm(torch.softmax(scores, -1), v).view(b, self.h, n, -1)
        return self.o_proj(out.transpose(1, 2).contiguous().view(b, n, d)), room
