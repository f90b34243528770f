# slip: the correction factor is the wrong way round, exp(new - old) instead of exp(old - new), guarded for the first block
import torch


def tiled_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, block_size: int) -> torch.Tensor:
    d = query.shape[-1]
    m_i, l_i, acc = None, None, None
    for k, v in zip(torch.split(key, block_size, -2), torch.split(value, block_size, -2)):
        s = (query @ k.transpose(-1, -2)) / d**0.5
        m_ij = s.max(-1, keepdim=True)[0]
        if m_i is None:
            p = torch.exp(s - m_ij)
            m_i, l_i, acc = m_ij, p.sum(-1, keepdim=True), p @ v
            continue
        m_new = torch.maximum(m_i, m_ij)
        p = torch.exp(s - m_new)
        alpha = torch.exp(m_new - m_i)
        l_i = alpha * l_i + p.sum(-1, keepdim=True)
        acc = alpha * acc + p @ v
        m_i = m_new
    return acc / l_i
