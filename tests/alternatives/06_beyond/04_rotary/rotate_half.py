import torch


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary(x, base=10000.0, offset=0):
    seq_len, dim = x.shape[2], x.shape[3]
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
    t = torch.arange(offset, offset + seq_len).float()
    freqs = torch.outer(t, inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)[None, None]
    return (x * emb.cos().to(x.dtype)) + (rotate_half(x) * emb.sin().to(x.dtype))
