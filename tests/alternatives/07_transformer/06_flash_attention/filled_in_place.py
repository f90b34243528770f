import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    """As a kernel would: results are written into room made for them; exps are kept in their logarithms."""
    lq, lk, d = query.size(-2), key.size(-2), query.size(-1)
    out = query.new_empty(*query.shape[:-1], value.size(-1))
    lse = query.new_empty(query.shape[:-1])
    i = 0
    while i < lq:
        top = min(i + block_q, lq)
        rows = query.narrow(-2, i, top - i)
        running, accumulated = None, None
        j, end = 0, (top + lk - lq if causal else lk)
        while j < end:
            stop = min(j + block_k, end)
            s = torch.matmul(rows, key.narrow(-2, j, stop - j).mT).div(d**0.5)
            if causal and stop > i + lk - lq + 1:
                offsets = torch.arange(j, stop)[None, :] - torch.arange(i, top)[:, None]
                s = s.masked_fill(offsets > lk - lq, torch.finfo(s.dtype).min)
            own = s.logsumexp(-1, keepdim=True)
            joined = own if running is None else torch.logaddexp(running, own)
            fresh = torch.exp(s - joined) @ value.narrow(-2, j, stop - j)
            accumulated = fresh if running is None else accumulated * torch.exp(running - joined) + fresh
            running, j = joined, stop
        out[..., i:top, :] = accumulated
        lse[..., i:top] = running[..., 0]
        i = top
    return out, lse
