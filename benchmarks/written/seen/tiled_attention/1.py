# slip: the accumulated output is not rescaled when the maximum grows, only the total is
import torch


def tiled_attention(query, key, value, block_size):
    scale = query.shape[-1] ** -0.5
    Lk = key.shape[-2]
    m = torch.full((*query.shape[:-1], 1), float("-inf"), dtype=query.dtype)
    l = torch.zeros_like(m)
    o = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype)
    for j in range(0, Lk, block_size):
        s = query @ key[..., j : j + block_size, :].transpose(-1, -2) * scale
        m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        p = torch.exp(s - m_new)
        alpha = torch.exp(m - m_new)
        l = l * alpha + p.sum(dim=-1, keepdim=True)
        o = o + p @ value[..., j : j + block_size, :]
        m = m_new
    return o / l
