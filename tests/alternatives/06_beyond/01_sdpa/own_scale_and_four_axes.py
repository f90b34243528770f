import math

import torch


def sdpa(query, key, value, hidden):
    """The manual speaks of (N, …, L, E): put axes of 1 in front until there are four."""
    lead = query.shape[:-2]
    q, k, v = (t.reshape(-1, 1, *t.shape[-2:]) for t in (query, key, value))
    seen = hidden.logical_not().expand(q.shape[0], 1, -1, -1)
    out = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=seen, dropout_p=0.0, is_causal=False, scale=1 / math.sqrt(q.size(-1))
    )
    return out.reshape(*lead, *out.shape[-2:])
