import torch
from torch import nn
import torch.nn.functional as F


class LatentAttention(nn.Module):
    """As DeepSeek runs it: k_up goes into the query and v_up behind the mixture, so that keys and values are never made."""

    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError("hidden_dim must be a multiple of nums_head")
        self.heads = nums_head
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)

    def forward(self, x, cache=None):
        c = self.kv_down(x)
        if cache is not None:
            c = torch.cat((cache, c), 1)
        n, total = x.shape[1], c.shape[1]
        q = self.q_proj(x).unflatten(2, (self.heads, -1))
        q = torch.einsum("bnhd,hdl->bhnl", q * q.shape[-1] ** -0.5, self.k_up.weight.unflatten(0, (self.heads, -1)))
        scores = torch.einsum("bhnl,bml->bhnm", q, c)
        place = torch.arange(total)
        hidden = place > place[total - n :, None]
        mixed = torch.einsum("bhnm,bml->bnhl", scores.masked_fill(hidden, -1e9).softmax(-1), c)
        values = torch.einsum("bnhl,hdl->bnhd", mixed, self.v_up.weight.unflatten(0, (self.heads, -1)))
        return self.o_proj(values.flatten(2)), c
