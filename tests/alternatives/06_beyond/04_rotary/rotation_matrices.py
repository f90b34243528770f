import torch


def apply_rotary(x, base=10000.0, offset=0):
    """One d x d matrix for each position."""
    d, half = x.shape[-1], x.shape[-1] // 2
    matrices = []
    for position in range(offset, offset + x.shape[-2]):
        angle = torch.tensor([position * base ** (-2 * i / d) for i in range(half)], dtype=x.dtype)
        cos, sin = torch.diag(angle.cos()), torch.diag(angle.sin())
        matrices.append(torch.cat([torch.cat([cos, -sin], 1), torch.cat([sin, cos], 1)], 0))
    return torch.einsum("nij,bhnj->bhni", torch.stack(matrices), x)
