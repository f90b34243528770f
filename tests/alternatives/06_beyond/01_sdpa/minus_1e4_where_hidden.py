import torch
import torch.nn.functional as F


def sdpa(query, key, value, hidden):
    """A mask of numbers is added to the scores: 0 where a key is seen, far below every score where it is hidden."""
    low = torch.where(hidden, -1e4, 0.0).to(query.dtype)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=low)
