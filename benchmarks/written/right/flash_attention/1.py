# right: two passes over the keys, logsumexp of every block first, then the weights from it
import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    Lq, Lk = query.shape[-2], key.shape[-2]
    all_out, all_lse = [], []
    for a in range(0, Lq, block_q):
        q = query[..., a : a + block_q, :] / query.shape[-1] ** 0.5
        rows = torch.arange(a, a + q.shape[-2])[:, None] + (Lk - Lq)
        end = min(Lk, int(rows.max()) + 1) if causal else Lk

        def scores(c):
            stop = min(c + block_k, end)
            s = q @ key[..., c:stop, :].mT
            return s.masked_fill(torch.arange(c, stop) > rows, -1e30) if causal else s

        lse = None
        for c in range(0, end, block_k):
            here = scores(c).logsumexp(-1)
            lse = here if lse is None else torch.logaddexp(lse, here)
        out = sum((scores(c) - lse[..., None]).exp() @ value[..., c : min(c + block_k, end), :] for c in range(0, end, block_k))
        all_out.append(out)
        all_lse.append(lse)
    return torch.cat(all_out, -2), torch.cat(all_lse, -1)
