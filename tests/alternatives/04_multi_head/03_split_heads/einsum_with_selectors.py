import torch


def split_heads(x, num_heads):
    """A 0/1 matrix for each head picks its columns."""
    width = x.shape[-1]
    assert width % num_heads == 0, (width, num_heads)
    pick = torch.eye(width, dtype=x.dtype).view(width, num_heads, width // num_heads)
    return torch.einsum("btw,whd->bhtd", x, pick)
