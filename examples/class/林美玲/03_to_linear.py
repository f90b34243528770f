"""From a matrix of your own to nn.Linear: the same numbers, kept the other way round.

    linear(x) = x · weight        where nn.Linear computes x · linear.weightᵀ

    weight   (d_in, d_out)   as W_query in `qkv_parameters`
    x        (..., d_in)     any leading axes, width of a token
    returns  an nn.Linear without bias, that turns (..., d_in) into (..., d_out)

Document: HackTricks, "4. Attention Mechanisms": SelfAttention_v2 has nn.Linear layers where step 1 of the trainable
weights had an nn.Parameter each.

    >>> linear = to_linear(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> linear
    Linear(in_features=3, out_features=2, bias=False)
    >>> linear(torch.tensor([1.0, 0.0, 2.0])).tolist()
    [11.0, 14.0]

The layer can be trained like any other, and it has the dtype of `weight`. It may share its memory with `weight`, but
`weight` itself stays as it is.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch
from torch import nn


from torch.nn.utils import skip_init


def to_linear(weight):
    with torch.device("meta"):
        linear = nn.Linear(weight.shape[0], weight.shape[1], bias=False)
    linear.load_state_dict({"weight": torch.stack(list(weight.unbind(1)))}, assign=True)
    linear.train(skip_init(nn.Linear, 1, 1).training)
    return linear.requires_grad_(True)
