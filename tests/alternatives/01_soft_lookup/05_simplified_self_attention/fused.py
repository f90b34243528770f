import torch.nn.functional as F


def simplified_self_attention(x):
    return F.scaled_dot_product_attention(x, x, x, scale=1.0)
