"""No softmax by name: a share is 1 over the sum of the exponentials of all differences."""

import torch


def context_vector(query, inputs):
    scores = inputs @ query
    shares = 1 / torch.exp(scores[None, :] - scores[:, None]).sum(dim=1)
    return torch.tensordot(shares, inputs, dims=1)
