import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    """All queries at once against one block of keys, from the last one to the first, guarded against rows of -inf."""
    lq, lk = query.shape[-2], key.shape[-2]
    scaled = query * (1 / query.shape[-1]) ** 0.5
    m = torch.full(query.shape[:-1], -torch.inf, dtype=query.dtype)
    total = torch.zeros_like(m)
    out = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype)
    starts = list(range(0, lk, block_k))
    for start in reversed(starts):
        k, v = key[..., start : start + block_k, :], value[..., start : start + block_k, :]
        s = scaled @ k.transpose(-1, -2)
        if causal:
            hidden = torch.arange(start, start + k.shape[-2])[None] > torch.arange(lq)[:, None] + (lk - lq)
            s = s.masked_fill(hidden, float("-inf"))
        new = torch.maximum(m, s.max(-1).values).detach()
        safe = torch.where(new.isinf(), torch.zeros_like(new), new)
        p = torch.exp(s - safe[..., None])
        old = torch.exp(m - safe)
        total = total * old + p.sum(-1)
        out = out * old[..., None] + p @ v
        m = new
    return [out / total[..., None], m + total.log()]
