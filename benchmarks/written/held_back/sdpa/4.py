# slip: the query is scaled by hand although the function scales too
import torch
import torch.nn.functional as F


def sdpa(query, key, value, hidden):
    d_k = query.size(-1)
    visible = torch.logical_not(hidden)
    return F.scaled_dot_product_attention(query / d_k**0.5, key, value, attn_mask=visible)
