import torch


def _one(x):
    return torch.softmax(x @ x.T, dim=1) @ x


def simplified_self_attention(x):
    attend = _one
    for _ in range(x.dim() - 2):
        attend = torch.vmap(attend)
    return attend(x)
