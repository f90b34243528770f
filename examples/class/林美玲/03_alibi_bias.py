"""ALiBi: no positions are added to the tokens; a key's score falls with its distance, in each head at another slope.

    slope(k)      = 2^(-8k/h)                       k = 1, …, h: the first head is number 1
    bias[k, i, j] = -slope · (i - j)   where j ≤ i        query i, key j: nothing is taken off the token itself
                  = -∞                 where j > i        later keys are hidden

    num_heads    how many heads, h: a power of two (1, 2, 4, 8, …)
    num_tokens   how many tokens, n: 1 or more
    returns      (h, n, n) float32     head, query, key: to be added to the scaled scores before the softmax

Document: none of the five; "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation".
The paper's figure leaves the later keys to the causal mask; here the mask is in the bias.

    >>> alibi_bias(2, 3)                      # slopes 2^-4 = .0625 and 2^-8 = .00390625
    tensor([[[ 0.0000,    -inf,    -inf],
             [-0.0625,  0.0000,    -inf],
             [-0.1250, -0.0625,  0.0000]],
    <BLANKLINE>
            [[ 0.0000,    -inf,    -inf],
             [-0.0039,  0.0000,    -inf],
             [-0.0078, -0.0039,  0.0000]]])
"""

import torch


import math


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
