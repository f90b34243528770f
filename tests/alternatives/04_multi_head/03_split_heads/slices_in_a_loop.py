import torch

MESSAGE = "the heads must share the width evenly"


def split_heads(x, num_heads):
    b, n, d_out = x.shape
    head_dim = d_out // num_heads
    if head_dim * num_heads != d_out:
        raise ValueError(MESSAGE)
    out = torch.empty(b, num_heads, n, head_dim, dtype=x.dtype)
    for head in range(num_heads):
        out[:, head] = x[:, :, head * head_dim : (head + 1) * head_dim]
    return out
