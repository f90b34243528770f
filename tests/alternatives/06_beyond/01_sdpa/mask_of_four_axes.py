import torch.nn.functional as F


def sdpa(query, key, value, hidden):
    """For (batch, heads, tokens, width), with a mask of as many axes."""
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~hidden[None, None, :, :])
