# slips: the causal flag is ignored; the last block of queries is lost when block_q does not divide their number
import torch


def flash_attention(query, key, value, block_q, block_k, causal=False):
    block_q = min(block_q, query.shape[-2])
    Tr = query.shape[-2] // block_q
    out = []
    lse = []
    for i in range(Tr):
        q = query[..., i * block_q : (i + 1) * block_q, :]
        m = torch.full(q.shape[:-1], float("-inf"), dtype=query.dtype, device=query.device)
        l = torch.zeros(q.shape[:-1], dtype=query.dtype, device=query.device)
        acc = torch.zeros(*q.shape[:-1], value.shape[-1], dtype=query.dtype, device=query.device)
        for k, v in zip(key.split(block_k, -2), value.split(block_k, -2)):
            s = (q @ k.mT) * (q.shape[-1] ** -0.5)
            m_next = torch.max(m, s.max(-1)[0])
            p = (s - m_next.unsqueeze(-1)).exp()
            a = (m - m_next).exp()
            l = a * l + p.sum(-1)
            acc = a.unsqueeze(-1) * acc + p @ v
            m = m_next
        out.append(acc / l.unsqueeze(-1))
        lse.append(m + l.log())
    return torch.cat(out, -2), torch.cat(lse, -1)
