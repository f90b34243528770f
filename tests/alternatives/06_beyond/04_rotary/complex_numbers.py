import math

import torch


def apply_rotary(x, base=10000.0, offset=0):
    b, h, n, d = x.shape
    z = torch.complex(*x.double().split(d // 2, dim=3))
    speed = torch.exp(torch.arange(d // 2, dtype=torch.float64) * (-2 * math.log(base) / d))
    angle = torch.einsum("n,i->ni", torch.arange(n) + float(offset), speed)
    turned = z * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([turned.real, turned.imag], dim=3).type_as(x)
