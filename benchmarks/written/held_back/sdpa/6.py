# slips: scale=1.0 switches the scaling off; a dropout of 0.1 is left on
import torch
import torch.nn.functional as F


def sdpa(query, key, value, hidden):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=hidden == 0, dropout_p=0.1, scale=1.0)
