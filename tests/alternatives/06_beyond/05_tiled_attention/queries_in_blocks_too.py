import math

import torch


def tiled_attention(query, key, value, block_size):
    results = []
    for q in query.split(block_size, dim=-2):
        m = torch.full_like(q[..., :1], -1e9)
        l = torch.zeros_like(m)
        o = torch.zeros(*q.shape[:-1], value.shape[-1], dtype=value.dtype)
        for j in range(math.ceil(key.size(-2) / block_size)):
            k = key[..., j * block_size : (j + 1) * block_size, :]
            v = value[..., j * block_size : (j + 1) * block_size, :]
            s = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1))
            m_new = torch.maximum(m, s.max(dim=-1, keepdim=True)[0])
            p = torch.exp(s - m_new)
            l = torch.exp(m - m_new) * l + p.sum(-1, keepdim=True)
            # as in FlashAttention's first version: the output stays divided all the time
            o = o * torch.exp(m - m_new)
            o = o + torch.matmul(p, v)
            m = m_new
        results.append(o / l)
    return torch.cat(results, dim=-2)
