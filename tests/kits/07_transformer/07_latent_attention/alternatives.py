ALTERNATIVES = {
    "absorbed": '''\
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
''',
    "fused": """\
class LatentAttention(nn.Module):
    def heads(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.nums_head, d // self.nums_head).permute(0, 2, 1, 3)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache.size(1)
        new = self.kv_down(x)
        latents = new if cache is None else torch.cat([cache, new], dim=-2)
        visible = torch.ones(x.shape[1], past + x.shape[1], dtype=torch.bool).tril(past)
        q, k, v = self.heads(self.q_proj(x)), self.heads(self.k_up(latents)), self.heads(self.v_up(latents))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        return [self.o_proj(out.transpose(1, 2).flatten(2)), latents]
""",
    "room_set_aside": '''\
class LatentAttention(nn.Module):
    """Old and new latents copied into a tensor made for them; an additive mask; multiplication by hand."""

    def forward(self, x, cache=None):
        b, n, d = x.shape
        past = cache.shape[1] if cache is not None else 0
        room = torch.empty(b, past + n, self.kv_down.out_features, dtype=x.dtype)
        if past:
            room[:, :past] = cache
        room[:, past:] = self.kv_down(x)
        q = self.q_proj(x).reshape(b, n, self.nums_head, -1).transpose(1, 2).reshape(b * self.nums_head, n, -1)
        k, v = (
            up(room).reshape(b, past + n, self.nums_head, -1).transpose(1, 2).reshape(b * self.nums_head, past + n, -1)
            for up in (self.k_up, self.v_up)
        )
        mask = torch.zeros(n, past + n, dtype=x.dtype)
        mask[:, past:] = torch.full((n, n), torch.finfo(x.dtype).min, dtype=x.dtype).triu(1)
        scores = torch.baddbmm(mask, q, k.mT, alpha=self.head_dim**-0.5)
        out = torch.bmm(torch.softmax(scores, -1), v).view(b, self.nums_head, n, -1)
        return self.o_proj(out.transpose(1, 2).contiguous().view(b, n, d)), room
''',
    "token_by_token": '''\
import math


class LatentAttention(nn.Module):
    """Reads one token after the other, each with the latents up to itself: no mask at all."""

    def forward(self, x, cache=None):
        latents = x.new_zeros(len(x), 0, self.kv_down.out_features) if cache is None else cache
        outs = []
        for token in x.unbind(1):
            latents = torch.cat([latents, self.kv_down(token)[:, None]], 1)
            heads = []
            for q, k, v in zip(
                self.q_proj(token).split(self.head_dim, -1),
                self.k_up(latents).split(self.head_dim, -1),
                self.v_up(latents).split(self.head_dim, -1),
            ):
                scores = (k * q[:, None]).sum(-1) / math.sqrt(self.head_dim)
                weights = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
                heads.append((weights[..., None] * v).sum(1))
            outs.append(self.o_proj(torch.cat(heads, -1)))
        return torch.stack(outs, 1), latents
''',
}
