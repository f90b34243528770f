import torch


def split_heads(x, num_heads):
    x = x.contiguous()
    batch, tokens, width = x.shape
    each = width / num_heads
    if not each.is_integer():
        raise ValueError("uneven")
    each = int(each)
    return torch.as_strided(x, (batch, num_heads, tokens, each), (tokens * width, each, width, 1))
