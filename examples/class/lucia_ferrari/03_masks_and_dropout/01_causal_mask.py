"""The causal mask: no token may look at a later one.

    mask[i, j] = True  where key j comes after query i        True means hidden

    num_tokens   n, 1 or more
    returns      (n, n) = (query, key), dtype bool

Document: iThome, "Day 15. Multi-head Attention", the mask of the efficient version. It keeps ones and zeros there and
turns them into booleans when they are used; here the result is boolean at once.

    >>> causal_mask(4)
    tensor([[False,  True,  True,  True],
            [False, False,  True,  True],
            [False, False, False,  True],
            [False, False, False, False]])

The diagonal is not hidden: every token sees itself. Were it hidden, the first token would see nothing at all.
"""

import torch


def causal_mask(num_tokens: int) -> torch.Tensor:
    raise NotImplementedError("causal_mask: still to write")
