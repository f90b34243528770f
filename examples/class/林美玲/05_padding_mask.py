"""The padding mask: no query may look at a key that is only padding.

    masked score[b, h, i, j] = score[b, h, i, j]      where attention_mask[b, j] is 1: a token, left as it is
    masked score[b, h, i, j] = -inf, or very low      where it is 0: padding, which the softmax then gives exactly 0

    scores           (b, h, q, k)   batch, head, query, key; float32, float64 or float16, up to ±1000
    attention_mask   (b, k)         batch, key; 1 for a token, 0 for padding, as integers, booleans or floats
    returns          (b, h, q, k)   the masked scores, before the softmax, in the dtype of the scores

Document: "手写大模型组件之 Group Query Attention", the attention_mask of its first code. A comment there says that
the mask is (batch, seq), but with that shape the code fails, or is silently wrong when batch and seq are equal:
its own example expands the mask to (batch, heads, seq, seq) first. Here it comes as (batch, key), and the function
does the rest.

    >>> scores = torch.tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])
    >>> torch.softmax(apply_padding_mask(scores, torch.tensor([[1, 1, 0]])), dim=-1)
    tensor([[[[0.2689, 0.7311, 0.0000],
              [0.2689, 0.7311, 0.0000]]]])

The padding may be on either side. Every sequence has at least one token. Beware of float16, which ends at 65504.

House rules (first lesson): with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def apply_padding_mask(scores, attention_mask):
    """As in BERT: 0 for tokens, the lowest number of the dtype for padding, added."""
    extended = attention_mask.to(scores.dtype)[:, None, None, :]
    extended = (1.0 - extended) * torch.finfo(scores.dtype).min
    return scores + extended
