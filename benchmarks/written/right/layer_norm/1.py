# right: variance as the mean of squares after centering, with einsum for the sums
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    d = x.shape[-1]
    c = x - torch.einsum("...d->...", x).unsqueeze(-1) / d
    v = torch.einsum("...d,...d->...", c, c) / d
    return torch.einsum("...d,...,d->...d", c, (v + eps).pow(-0.5), weight) + bias
