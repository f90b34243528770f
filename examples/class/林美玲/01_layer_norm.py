"""Layer norm: every token's numbers are brought to mean 0 and size 1, then stretched and moved by what was learned.

    mean      = the mean of a token's d numbers
    variance  = the mean of their squared deviations from it          divided by d, not by d - 1
    result    = (x - mean) / √(variance + eps) · weight + bias

    x        (…, d)    …, width; any leading axes, or none: each row of d numbers is a token by itself
    weight   (d,)      one factor for each place of the width
    bias     (d,)      one shift for each place of the width
    eps      a small number under the root, so that nothing is divided by 0: a constant row gives the bias
    returns  (…, d)    …, width

Document: none of the five; "Layer Normalization" (Ba, Kiros, Hinton). A transformer has two in each block.

    >>> x = torch.tensor([1.0, 1.0, 5.0, 5.0])                        # mean 3, variance 4, root 2
    >>> weight, bias = torch.tensor([1.0, 2.0, 1.0, 2.0]), torch.tensor([0.0, 0.0, 10.0, 10.0])
    >>> layer_norm(x, weight, bias)
    tensor([-1.0000, -2.0000, 11.0000, 12.0000])

The library's norms (layer, group, batch, instance, rms) are not allowed here; `mean`, `var` and `std` are.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def layer_norm(x, weight, bias, eps=1e-5):
    """Taking the mean away is a matrix product; the variance comes from std without correction."""
    d = x.size(-1)
    centre = torch.eye(d, dtype=x.dtype) - torch.full((d, d), 1 / d, dtype=x.dtype)
    centred = x @ centre
    std = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / d**0.5
    safe = torch.hypot(std, torch.full_like(std, eps**0.5))
    return centred / safe * weight + bias
