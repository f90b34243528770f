import torch


def split_heads(x, num_heads):
    d_out = x.shape[2]
    assert d_out % num_heads == 0, f"{d_out} is not a multiple of {num_heads}"
    return torch.stack(x.split(d_out // num_heads, dim=2), dim=1)
