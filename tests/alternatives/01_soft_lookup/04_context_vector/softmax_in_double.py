import torch
from torch import nn


def context_vector(query, inputs):
    if query.shape != inputs.shape[1:]:
        raise ValueError("the query must be as wide as the inputs")
    weights = nn.Softmax(dim=0)(torch.mv(inputs, query).double()).to(inputs.dtype)
    return torch.mv(inputs.t(), weights)
