import torch


def masked_softmax(scores, mask):
    n = scores.shape[-1]
    wide = 1.0 * scores.double()
    wide[..., mask[:n, :n]] = -1e20
    return torch.softmax(wide, dim=-1).to(scores.dtype)
