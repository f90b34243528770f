ALTERNATIVES = {
    "all_queries_key_blocks_backwards": '''\
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
''',
    "filled_in_place": '''\
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
''',
    "merged_by_logsumexp": '''\
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
''',
    "one_query_at_a_time": '''\
def flash_attention(query, key, value, block_q, block_k, causal=False):
    """A single query against all keys that it sees is a legal tiling, and needs no mask."""
    lq, lk = query.shape[-2], key.shape[-2]
    outs, lses = [], []
    for i in range(lq):
        seen = i + lk - lq + 1 if causal else lk
        scores = (key[..., :seen, :] * query[..., i : i + 1, :]).sum(-1) * query.shape[-1] ** -0.5
        lse = scores.logsumexp(-1)
        weights = (scores - lse[..., None]).exp()
        outs.append((weights[..., None] * value[..., :seen, :]).sum(-2))
        lses.append(lse)
    return torch.stack(outs, dim=-2), torch.stack(lses, dim=-1)
''',
    "two_passes": '''\
import math


def flash_attention(query, key, value, block_q, block_k, causal=False):
    """First the logsumexp of each row, block by block; then the weights are exp(score - logsumexp), nothing to divide."""
    n, m, d = query.shape[-2], key.shape[-2], query.shape[-1]

    def scores(rows, columns):
        s = torch.matmul(query[..., rows, :] / math.sqrt(d), key[..., columns, :].mT)
        if causal:
            later = torch.arange(m)[columns] > torch.arange(m - n, m)[rows, None]
            s = torch.where(later, torch.tensor(-torch.inf, dtype=s.dtype), s)
        return s

    q_blocks = [slice(i, min(i + block_q, n)) for i in range(0, n, block_q)]
    k_blocks = [slice(j, min(j + block_k, m)) for j in range(0, m, block_k)]
    lse = torch.cat(
        [torch.stack([scores(r, c).logsumexp(-1) for c in k_blocks], -1).logsumexp(-1) for r in q_blocks], dim=-1
    )
    out = torch.cat(
        [sum(torch.exp(scores(r, c) - lse[..., r, None]) @ value[..., c, :] for c in k_blocks) for r in q_blocks], dim=-2
    )
    return out, lse
''',
}
