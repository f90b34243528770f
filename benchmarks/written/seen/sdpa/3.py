# slip: the mask is ignored and is_causal=True used in its place
import torch
from torch.nn.functional import scaled_dot_product_attention


def sdpa(query, key, value, hidden):
    return scaled_dot_product_attention(query, key, value, is_causal=True)
