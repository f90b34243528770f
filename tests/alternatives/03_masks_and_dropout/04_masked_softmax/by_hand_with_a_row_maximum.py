import torch


def masked_softmax(scores, mask):
    n = scores.shape[-1]
    visible = mask.narrow(0, 0, n).narrow(1, 0, n).logical_not()
    wide = scores.to(torch.float32)
    s = wide.masked_fill(~visible, -1e6)
    e = torch.exp(s - s.amax(-1, keepdim=True)) * visible
    w = e / e.sum(-1, keepdim=True)
    return torch.nan_to_num(w).to(scores)
