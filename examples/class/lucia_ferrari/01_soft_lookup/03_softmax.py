"""Softmax: scores become weights.

    weight_i = exp(score_i) / sum_j exp(score_j)        the sum runs along `dim`

    scores   (...)  any shape, float32 or float64
    dim      the axis along which the weights sum to 1, counted from the front (0, 1, …) or from the back (-1, -2, …)
    returns  (...)  the same shape; along `dim` the weights are positive and sum to 1

Document: HackTricks, "4. Attention Mechanisms", step 2 (normalize the scores of "shiny").

    >>> softmax(torch.tensor([0.7842, 1.3569, 1.2487]))
    tensor([0.2291, 0.4063, 0.3646])

Write it yourself: the library's softmax is not allowed here. It must also survive scores of ±1000, where exp() alone
is infinite.

House rules (first lesson): with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    raise NotImplementedError("softmax: still to write")
