"""Let the library attend: scaled_dot_product_attention, with our own kind of mask.

    weights = softmax(query · keyᵀ / √d)      hidden places get no weight
    output  = weights · value

    query    (…, Lq, d)      …, queries, width
    key      (…, Lk, d)      …, keys, width
    value    (…, Lk, dv)     …, keys, width of the values
    hidden   (Lq, Lk) bool   query, key; True means hidden, as everywhere in this course
    returns  (…, Lq, dv)     …, queries, width of the values

Document: torch's manual, the page of `torch.nn.functional.scaled_dot_product_attention`. Calling it is the exercise.

One sentence of that page decides everything here: in a boolean `attn_mask`, True means that the element *takes part*.
That is the other way round than in this course (and than in the masks of `nn.MultiheadAttention`). A hidden place
weighs nothing, however high its score.

    >>> value = torch.tensor([[1.0], [2.0], [4.0]])
    >>> alike = torch.zeros(3, 2)                          # queries and keys of 0: all visible keys weigh the same
    >>> later = torch.ones(3, 3).triu(1).bool()
    >>> sdpa(alike, alike, value, later).flatten()
    tensor([1.0000, 1.5000, 2.3333])

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch
import torch.nn.functional as F


from torch.nn.functional import scaled_dot_product_attention as attend


def sdpa(query, key, value, hidden):
    bias = torch.zeros(hidden.shape, dtype=query.dtype).masked_fill(hidden, float("-inf"))
    return attend(query, key, value, bias)
