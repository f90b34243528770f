import torch


# numbers of every block first, put together at the end
def tiled_attention(query, key, value, block_size):
    maxima, sums, outs = [], [], []
    for k, v in zip(key.split(block_size, -2), value.split(block_size, -2)):
        s = (query @ k.transpose(-2, -1)) / query.shape[-1] ** 0.5
        m = s.amax(-1)
        e = (s - m[..., None]).exp()
        maxima.append(m)
        sums.append(e.sum(-1))
        outs.append(e @ v)
    m = torch.stack(maxima)
    w = torch.exp(m - m.amax(0))
    total = (torch.stack(sums) * w).sum(0)
    out = (torch.stack(outs) * w[..., None]).sum(0)
    return out / total[..., None]
