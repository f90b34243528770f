import torch


def tiled_attention(query, key, value, block_size):
    q, k, v = query.double(), key.double(), value.double()
    m = q.new_full(q.shape[:-1], -float("inf"))
    l = torch.zeros_like(m)
    acc = q.new_zeros(q.shape[:-1] + v.shape[-1:])
    for i in range(0, k.size(-2), block_size):
        kb, vb = k[..., i : i + block_size, :], v[..., i : i + block_size, :]
        s = q.matmul(kb.transpose(-1, -2)) * q.size(-1) ** -0.5
        new = torch.maximum(m, s.max(-1).values)
        alpha = torch.exp(m - new)
        p = torch.exp(s - new.unsqueeze(-1))
        l *= alpha
        l += p.sum(-1)
        acc *= alpha.unsqueeze(-1)
        acc += p @ vb
        m = new
    acc /= l.unsqueeze(-1)
    return acc.to(query.dtype)
