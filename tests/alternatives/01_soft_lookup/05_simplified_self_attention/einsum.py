import torch


def simplified_self_attention(x):
    scores = torch.einsum("...id,...jd->...ij", x, x)
    return torch.einsum("...ij,...jd->...id", scores.softmax(-1), x)
