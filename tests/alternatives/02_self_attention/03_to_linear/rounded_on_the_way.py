from torch import nn


def to_linear(weight):
    """The numbers pass through float32, which is precise enough; the layer has the dtype of the matrix all the same."""
    layer = nn.Linear(*weight.shape, bias=False)
    layer.weight = nn.Parameter(weight.detach().float().T.contiguous())
    return layer.to(weight)
