ALTERNATIVES = {
    "cached_table": """\
from functools import lru_cache


@lru_cache(maxsize=None)
def table(length, half, base):
    speed = torch.tensor(1.0 / base) ** (torch.arange(half) / half)
    angle = torch.arange(length).view(-1, 1) * speed
    return torch.stack([angle.cos(), angle.sin()])


def apply_rotary(x, base=10000.0, offset=0):
    n, half = x.shape[2], x.shape[3] // 2
    cos, sin = table(256, half, float(base))[:, offset : offset + n].to(x)
    out = torch.empty_like(x)
    out[..., :half] = x[..., :half] * cos - x[..., half:] * sin
    out[..., half:] = x[..., :half] * sin + x[..., half:] * cos
    return out
""",
    "complex_numbers": """\
import math


def apply_rotary(x, base=10000.0, offset=0):
    b, h, n, d = x.shape
    z = torch.complex(*x.double().split(d // 2, dim=3))
    speed = torch.exp(torch.arange(d // 2, dtype=torch.float64) * (-2 * math.log(base) / d))
    angle = torch.einsum("n,i->ni", torch.arange(n) + float(offset), speed)
    turned = z * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([turned.real, turned.imag], dim=3).type_as(x)
""",
    "rotate_half": """\
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
""",
    "rotation_matrices": '''\
def apply_rotary(x, base=10000.0, offset=0):
    """One d x d matrix for each position."""
    d, half = x.shape[-1], x.shape[-1] // 2
    matrices = []
    for position in range(offset, offset + x.shape[-2]):
        angle = torch.tensor([position * base ** (-2 * i / d) for i in range(half)], dtype=x.dtype)
        cos, sin = torch.diag(angle.cos()), torch.diag(angle.sin())
        matrices.append(torch.cat([torch.cat([cos, -sin], 1), torch.cat([sin, cos], 1)], 0))
    return torch.einsum("nij,bhnj->bhni", torch.stack(matrices), x)
''',
    "step_by_step": '''\
def apply_rotary(x, base=10000.0, offset=0):
    """Pairs side by side in a last axis of 2, turned by a 2 x 2 matrix; done in single precision."""
    pairs = x.float().unflatten(-1, (2, -1)).transpose(-1, -2)
    d = x.shape[-1]
    theta = torch.pow(torch.tensor(float(base)), -torch.arange(0, d, 2) / d)
    angle = (torch.arange(x.shape[-2]) + offset).unsqueeze(-1) * theta
    matrix = torch.stack([angle.cos(), angle.sin(), -angle.sin(), angle.cos()], -1).unflatten(-1, (2, 2))
    turned = (pairs.unsqueeze(-2) @ matrix).squeeze(-2)
    return turned.transpose(-1, -2).flatten(-2).to(x.dtype)
''',
    "token_by_token": """\
import math


def apply_rotary(x, base=10000.0, offset=0):
    half = x.size(-1) // 2
    y = x.clone()
    for p in range(x.size(2)):
        for i in range(half):
            angle = (p + offset) / math.pow(base, i / half)
            c, s = math.cos(angle), math.sin(angle)
            a, b = x[:, :, p, i], x[:, :, p, i + half]
            y[:, :, p, i] = a * c - b * s
            y[:, :, p, i + half] = a * s + b * c
    return y
""",
}
