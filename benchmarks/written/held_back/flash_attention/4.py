# slip: the causal comparison is >= instead of >, so a query does not see the key at its own place (the very first key is left visible)
import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    Lq, Lk, d = query.shape[-2], key.shape[-2], query.shape[-1]
    results, logs = [], []
    for a in range(0, Lq, block_q):
        q = query[..., a : a + block_q, :] / d**0.5
        place = torch.arange(a, a + q.shape[-2]) + Lk - Lq
        out, lse = None, None
        for c in range(0, Lk, block_k):
            if causal and c > place[-1]:
                break
            k, v = key[..., c : c + block_k, :], value[..., c : c + block_k, :]
            s = q @ k.transpose(-2, -1)
            if causal:
                j = torch.arange(c, c + k.shape[-2])
                hidden = (j[None, :] >= place[:, None]) & (j[None, :] > 0)
                s = s.masked_fill(hidden, -1e30)
            m = s.amax(-1, keepdim=True)
            e = torch.exp(s - m)
            t = e.sum(-1, keepdim=True)
            new_lse = m + t.log()
            new_out = e @ v / t
            if out is None:
                out, lse = new_out, new_lse
            else:
                joint = torch.logaddexp(lse, new_lse)
                out = out * (lse - joint).exp() + new_out * (new_lse - joint).exp()
                lse = joint
        results.append(out)
        logs.append(lse.squeeze(-1))
    return torch.cat(results, -2), torch.cat(logs, -1)
