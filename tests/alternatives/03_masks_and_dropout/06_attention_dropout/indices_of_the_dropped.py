import torch


def dropout(x, p):
    """A name like the library's, but a function of its own."""
    out = x.clone().flatten()
    lost = torch.nonzero(torch.rand(out.shape) < p).flatten()
    out = out.index_fill(0, lost, 0.0)
    return (out / (1 - p)).nan_to_num(0.0).view_as(x)


def attention_dropout(weights, p, training=True):
    if p == 0 or not training:
        return weights
    return dropout(weights, p)
