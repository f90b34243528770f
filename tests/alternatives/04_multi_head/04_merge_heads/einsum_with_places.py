import torch


def merge_heads(x):
    """A 0/1 matrix for each head puts its columns in place."""
    _, h, _, d = x.shape
    place = torch.eye(h * d, dtype=x.dtype).reshape(h, d, h * d)
    return torch.einsum("bhnd,hdw->bnw", x, place)
