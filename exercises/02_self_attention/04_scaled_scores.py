"""Scaled scores: how well does each query match each key?

    scores[i, j] = query_i · key_j / √d        all at once: query · keyᵀ / √d

    query    (..., Lq, d)    any leading axes, queries, width
    key      (..., Lk, d)    the same leading axes, keys, width
    returns  (..., Lq, Lk)   one row a query, one column a key

Document: iThome, "Day5: self attention 實作", step 3 (query times key, times the scaling); also HackTricks,
"4. Attention Mechanisms", step 2 of the trainable weights, and the formula of the Happy-LLM notes: both divide by √d_k.

    >>> query = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    >>> key = torch.tensor([[1.0, 1.0, 1.0, 1.0], [2.0, 0.0, 0.0, 0.0]])
    >>> scaled_scores(query, key)
    tensor([[5., 1.]])

No softmax yet: scores may be negative and need not sum to 1.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    raise NotImplementedError("scaled_scores: still to write")
