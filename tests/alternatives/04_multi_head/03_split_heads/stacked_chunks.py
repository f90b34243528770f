import torch


def split_heads(x, num_heads):
    head_dim, rest = divmod(x.size(2), num_heads)
    assert not rest
    return torch.stack(torch.split(x, head_dim, dim=-1), dim=1)
