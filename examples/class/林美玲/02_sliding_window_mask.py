"""The sliding window: a token looks back only so far.

    mask[i, j] = False  for the keys j = i - window + 1, …, i       True means hidden
    mask[i, j] = True   for all the others, the later ones among them

    num_tokens   n, 1 or more
    window       how many tokens each one sees, itself among them; 1 or more, and it may be larger than n
    returns      (n, n) = (query, key), dtype bool

Document: "Longformer: The Long-Document Transformer", sliding-window attention. There the window reaches to both
sides; a model that writes text looks only back, as here.

    >>> sliding_window_mask(5, 2)
    tensor([[False,  True,  True,  True,  True],
            [False, False,  True,  True,  True],
            [ True, False, False,  True,  True],
            [ True,  True, False, False,  True],
            [ True,  True,  True, False, False]])

With window = 1 every token sees itself alone; from window = n on it is the causal mask.
"""

import torch


def sliding_window_mask(num_tokens, window):
    visible = torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril().triu(1 - window)
    return visible.logical_not()
