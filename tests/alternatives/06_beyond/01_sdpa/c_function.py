import torch


def sdpa(query, key, value, hidden):
    visible = hidden.clone()
    visible ^= True
    return torch._C._nn.scaled_dot_product_attention(query, key, value, visible)
