# slip: the mask is passed on without inverting it
import torch
import torch.nn.functional as F


def sdpa(query, key, value, hidden):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=hidden)
