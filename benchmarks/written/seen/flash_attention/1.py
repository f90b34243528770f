# slip: the causal diagonal is anchored at the upper left (j <= i) instead of at the last key
import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    Lq, Lk = query.shape[-2], key.shape[-2]
    scale = query.shape[-1] ** -0.5
    outs, lses = [], []
    for qs in range(0, Lq, block_q):
        q = query[..., qs : qs + block_q, :] * scale
        m = torch.full(q.shape[:-1] + (1,), float("-inf"), dtype=q.dtype)
        l = torch.zeros_like(m)
        o = torch.zeros(q.shape[:-1] + (value.shape[-1],), dtype=q.dtype)
        for ks in range(0, Lk, block_k):
            if causal and ks > qs + q.shape[-2] - 1:
                break
            k = key[..., ks : ks + block_k, :]
            v = value[..., ks : ks + block_k, :]
            s = q @ k.transpose(-1, -2)
            if causal:
                i = torch.arange(qs, qs + q.shape[-2])[:, None]
                j = torch.arange(ks, ks + k.shape[-2])[None, :]
                s = s.masked_fill(j > i, float("-inf"))
            m_new = torch.maximum(m, s.amax(-1, keepdim=True))
            p = torch.exp(s - m_new)
            corr = torch.exp(m - m_new)
            l = l * corr + p.sum(-1, keepdim=True)
            o = o * corr + p @ v
            m = m_new
        outs.append(o / l)
        lses.append((m + l.log()).squeeze(-1))
    return torch.cat(outs, dim=-2), torch.cat(lses, dim=-1)
