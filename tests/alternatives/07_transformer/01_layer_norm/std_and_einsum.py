import torch


def layer_norm(x, weight, bias, eps=1e-5):
    d = x.shape[-1]
    mean = torch.einsum("...d->...", x)[..., None] / d
    centred = x - mean
    variance = torch.einsum("...d,...d->...", centred, centred)[..., None] / d
    scale = weight / (variance + eps).sqrt()
    return centred * scale + bias
