# slip: viewed straight to (b, h, n, d) without the transpose
import torch


def split_heads(x, num_heads):
    b, n, d_out = x.shape
    assert d_out % num_heads == 0
    return x.view(b, num_heads, n, d_out // num_heads)
