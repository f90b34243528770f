import math

import torch


def simplified_self_attention(x):
    q = x * math.sqrt(x.size(-1))
    return torch.nn.functional.scaled_dot_product_attention(q, x, x)
