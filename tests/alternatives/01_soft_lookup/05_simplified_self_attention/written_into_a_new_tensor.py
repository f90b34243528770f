import torch


def simplified_self_attention(x):
    out = torch.zeros_like(x)
    for i in range(x.shape[-2]):
        scores = (x[..., i : i + 1, :] * x).sum(-1)
        w = scores.softmax(-1).unsqueeze(-1)
        out[..., i, :] = (w * x).sum(-2)
    return out
