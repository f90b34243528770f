# right: complex multiplication with the halves as real and imaginary part
import torch


def apply_rotary(x, base=10000.0, offset=0):
    n, d = x.shape[-2:]
    rate = float(base) ** (torch.arange(0, d, 2, dtype=torch.float64) / -d)
    place = torch.arange(n, dtype=torch.float64) + offset
    turn = torch.polar(torch.ones(n, d // 2, dtype=torch.float64), torch.outer(place, rate))
    real, imag = x.double().tensor_split(2, -1)
    z = torch.complex(real, imag) * turn
    return torch.cat([z.real, z.imag], -1).to(x.dtype)
