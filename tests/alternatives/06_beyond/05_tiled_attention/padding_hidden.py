import torch
import torch.nn.functional as F

# keys padded to whole blocks, the padding hidden
def tiled_attention(query, key, value, block_size):
    n = key.shape[-2]
    pad = -n % block_size
    k = F.pad(key, (0, 0, 0, pad))
    v = F.pad(value, (0, 0, 0, pad))
    real = torch.arange(n + pad) < n
    m = torch.full_like(query[..., :1], -float("inf"))
    l = torch.zeros_like(m)
    o = query.new_zeros(*query.shape[:-1], v.shape[-1])
    for i in range(0, n + pad, block_size):
        s = query @ k[..., i : i + block_size, :].transpose(-1, -2) * query.shape[-1] ** -0.5
        s = s.masked_fill(~real[i : i + block_size], -float("inf"))
        m2 = torch.maximum(m, s.amax(-1, keepdim=True))
        p = (s - m2).exp()
        c = (m - m2).exp()
        l, o, m = l * c + p.sum(-1, keepdim=True), o * c + p @ v[..., i : i + block_size, :], m2
    return o / l
