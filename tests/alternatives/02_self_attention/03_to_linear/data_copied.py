import torch.nn as nn


def to_linear(weight):
    d_in, d_out = weight.shape
    layer = nn.Linear(in_features=d_in, out_features=d_out, bias=False).to(weight.dtype)
    layer.weight.data.copy_(weight.t())
    return layer
