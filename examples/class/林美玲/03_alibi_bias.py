import math
import torch


def alibi_bias(num_heads, num_tokens):
    """As in the paper's own code: the ratio is the first slope; distances by summing a lower triangle."""
    start = 2 ** (-(2 ** -(math.log2(num_heads) - 3)))
    slopes = torch.tensor([start * start**i for i in range(num_heads)])
    steps = torch.ones(num_tokens, num_tokens).tril(-1)
    distance = steps.flip(-1).cumsum(-1).flip(-1).tril(-1)
    mask = torch.ones_like(steps).triu(1) == 1
    bias = (slopes[:, None, None] * -distance).clone()
    bias[:, mask] = -math.inf
    return bias
