"""Softmax with hidden places: what is hidden gets a weight of exactly 0, and the rest still sums to 1.

    weight_ij = exp(score_ij) / sum_k exp(score_ik)        k runs over the keys that query i may see
    weight_ij = 0                                          where mask[i, j] is True (hidden)

    scores   (..., n, n)   ..., query, key; float32, float64, float16 or bfloat16
    mask     (N, N)        boolean, any pattern, N >= n: only its upper left n x n corner is used
    returns  (..., n, n)   the dtype of the scores

Document: HackTricks, "4. Attention Mechanisms", applying a causal attention mask, before the softmax. The cut to
the upper left corner is as in iThome's "Day 15. Multi-head Attention"; Happy-LLM too computes this softmax in
float32 and gives back the dtype that came in.

    >>> scores = torch.tensor([[0.4556, 0.7842, 0.7196], [0.7842, 1.3569, 1.2487], [0.7196, 1.2487, 1.2406]])
    >>> hidden = torch.tensor([[False, True, True], [False, False, True], [False, False, False]])
    >>> masked_softmax(scores, hidden)
    tensor([[1.0000, 0.0000, 0.0000],
            [0.3606, 0.6394, 0.0000],
            [0.2283, 0.3874, 0.3843]])

Compute in float32 (float64 may stay float64) and give back the dtype that came in. Scores go up to ±1000, hidden ones
too, and float16 ends at 65504. Every row has at least one visible place. The library's softmax may be used here.

House rules (first lesson): with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    # BEGIN SOLUTION
    num_tokens = scores.shape[-1]
    hidden = mask[:num_tokens, :num_tokens]
    masked = scores.float().masked_fill(hidden, float("-inf"))
    return torch.softmax(masked, dim=-1).to(scores.dtype)
    # END SOLUTION
