# slip: the logsumexp belongs to the unscaled scores: the scale is applied inside the exponent only for the weights
import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    Lq, Lk = query.size(-2), key.size(-2)
    scale = 1.0 / query.size(-1) ** 0.5
    outs, stats = [], []
    for r in range(0, Lq, block_q):
        q = query[..., r : r + block_q, :]
        acc = 0.0
        total = 0.0
        peak = q.new_full((*q.shape[:-1], 1), float("-inf"))
        raw = None
        last = r + q.size(-2) - 1 + Lk - Lq
        stop = min(Lk, last + 1) if causal else Lk
        for c in range(0, stop, block_k):
            k = key[..., c : c + block_k, :]
            dots = q @ k.transpose(-1, -2)
            if causal:
                rows = torch.arange(r, r + q.size(-2)) + Lk - Lq
                cols = torch.arange(c, c + k.size(-2))
                dots = dots.masked_fill(cols[None, :] > rows[:, None], float("-inf"))
            here = torch.logsumexp(dots, dim=-1)
            raw = here if raw is None else torch.logaddexp(raw, here)
            s = dots * scale
            top = torch.maximum(peak, s.amax(-1, keepdim=True))
            w = (s - top).exp()
            fix = (peak - top).exp()
            total = total * fix + w.sum(-1, keepdim=True)
            acc = acc * fix + w @ value[..., c : c + block_k, :]
            peak = top
        outs.append(acc / total)
        stats.append(raw)
    return torch.cat(outs, dim=-2), torch.cat(stats, dim=-1)
