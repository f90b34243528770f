import torch


def simplified_self_attention(x):
    e = torch.exp(torch.matmul(x, x.swapaxes(-1, -2)))
    return (e @ x) / e.sum(dim=-1, keepdim=True)
