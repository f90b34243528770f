import torch


def layer_norm(x, weight, bias, eps=1e-5):
    """Taking the mean away is a matrix product; the variance comes from std without correction."""
    d = x.size(-1)
    centre = torch.eye(d, dtype=x.dtype) - torch.full((d, d), 1 / d, dtype=x.dtype)
    centred = x @ centre
    std = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / d**0.5
    safe = torch.hypot(std, torch.full_like(std, eps**0.5))
    return centred / safe * weight + bias
