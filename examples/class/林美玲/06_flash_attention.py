"""Attention by blocks of queries and of keys, with the logsumexp of each row beside it: what FlashAttention computes.

    for each block of queries:
        for each block of keys and values:                  if causal, those after the last query's place are left out
            scores   = query · keyᵀ / √d                    if causal, -∞ where the key stands after the query's place
            maximum, total, output                          grow and shrink as in `tiled_attention`
        out       = output / total
        logsumexp = maximum + log(total)                    the logarithm of the sum of exp(score) over all visible keys

    query       (…, Lq, d)    …, queries, width
    key         (…, Lk, d)    …, keys, width
    value       (…, Lk, dv)   …, keys, width of the values
    block_q     how many queries are looked at together, 1 or more; it need not divide Lq, and may be larger
    block_k     the same for keys
    causal      query i stands at place i + Lk - Lq and sees the keys j ≤ i + Lk - Lq: the last query sees all. Lk ≥ Lq
    scores      (…, block_q, block_k)      of one block of queries and one of keys
    returns     (out, logsumexp)           (…, Lq, dv) and (…, Lq)

Document: none of the five; "FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning". The
backward pass makes the weights anew from the logsumexp: exp(score - logsumexp).

    >>> value = torch.tensor([[1.0], [3.0], [8.0]])
    >>> query, key = torch.zeros(2, 2), torch.zeros(3, 2)              # all scores are 0
    >>> flash_attention(query, key, value, 1, 2, causal=True)          # query 0 sees two keys, query 1 sees three
    (tensor([[2.],
            [4.]]), tensor([0.6931, 1.0986]))

Scores up to ±1000 give finite results, and gradients flow through both. No tensor may be made that holds Lq · Lk
numbers or more for one index of the leading axes, however they are laid out; masks count, too. It is tested where
nothing that belongs to a block comes near. The library's attention is not allowed here.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

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
