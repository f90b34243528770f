import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    """Each block has its own softmax and logsumexp, and two are put together as the paper's parallel version does."""
    ahead = key.size(-2) - query.size(-2)
    outs, lses = [], []
    for q0, q in zip(range(0, query.size(-2), block_q), query.split(block_q, -2)):
        out = lse = None
        places = torch.arange(q0, q0 + q.size(-2)).unsqueeze(1) + ahead
        for k0, (k, v) in zip(range(0, key.size(-2), block_k), zip(key.split(block_k, -2), value.split(block_k, -2))):
            s = torch.einsum("...id,...jd->...ij", q / q.size(-1) ** 0.5, k)
            if causal:
                if k0 > places.max():
                    break
                s = s + torch.zeros_like(s[..., :, :]).masked_fill(torch.arange(k0, k0 + k.size(-2)) > places, -1e30)
            own = torch.logsumexp(s, -1)
            part = torch.exp(s - own.unsqueeze(-1)) @ v
            if out is None:
                out, lse = part, own
            else:
                both = torch.logaddexp(lse, own)
                out = out * (lse - both).exp().unsqueeze(-1) + part * (own - both).exp().unsqueeze(-1)
                lse = both
        outs.append(out)
        lses.append(lse)
    return torch.cat(outs, -2), torch.cat(lses, -1)
