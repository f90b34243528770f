# slip: the logsumexp is log(total) without the maximum added
import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    shift = key.size(-2) - query.size(-2)
    out_blocks, lse_blocks = [], []
    row = 0
    for q in query.split(block_q, dim=-2):
        nq = q.size(-2)
        maximum = q.new_full(q.shape[:-1], -1e30)
        total = q.new_zeros(q.shape[:-1])
        acc = q.new_zeros(*q.shape[:-1], value.size(-1))
        col = 0
        for k, v in zip(key.split(block_k, dim=-2), value.split(block_k, dim=-2)):
            nk = k.size(-2)
            if causal and col > row + nq - 1 + shift:
                break
            s = torch.einsum("...id,...jd->...ij", q, k) / q.size(-1) ** 0.5
            if causal:
                qi = torch.arange(row, row + nq).view(-1, 1) + shift
                kj = torch.arange(col, col + nk).view(1, -1)
                s = torch.where(kj <= qi, s, torch.full_like(s, float("-inf")))
            new = torch.maximum(maximum, s.max(dim=-1).values)
            e = torch.exp(s - new[..., None])
            old = torch.exp(maximum - new)
            total = total * old + e.sum(dim=-1)
            acc = acc * old[..., None] + torch.einsum("...ij,...jd->...id", e, v)
            maximum = new
            col += nk
        out_blocks.append(acc / total[..., None])
        lse_blocks.append(torch.log(total))
        row += nq
    return torch.cat(out_blocks, -2), torch.cat(lse_blocks, -1)
