import torch


def layer_norm(x, weight, bias, eps=1e-5):
    """Variance as the mean of the squares less the square of the mean, in double precision as it would cancel."""
    wide = x.double()
    mean = wide.mean(-1, keepdim=True)
    variance = (wide * wide).mean(-1, keepdim=True) - mean**2
    normed = ((wide - mean) * (variance.clamp(min=0) + eps) ** -0.5).to(x.dtype)
    return torch.mul(weight, normed).add(bias)
