import torch


def apply_rotary(x, base=10000.0, offset=0):
    """Pairs side by side in a last axis of 2, turned by a 2 x 2 matrix; done in single precision."""
    pairs = x.float().unflatten(-1, (2, -1)).transpose(-1, -2)
    d = x.shape[-1]
    theta = torch.pow(torch.tensor(float(base)), -torch.arange(0, d, 2) / d)
    angle = (torch.arange(x.shape[-2]) + offset).unsqueeze(-1) * theta
    matrix = torch.stack([angle.cos(), angle.sin(), -angle.sin(), angle.cos()], -1).unflatten(-1, (2, 2))
    turned = (pairs.unsqueeze(-2) @ matrix).squeeze(-2)
    return turned.transpose(-1, -2).flatten(-2).to(x.dtype)
