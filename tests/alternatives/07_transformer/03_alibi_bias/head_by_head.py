import torch


def alibi_bias(num_heads, num_tokens):
    bias = torch.full((num_heads, num_tokens, num_tokens), float("-inf"))
    for k in range(num_heads):
        slope = 2 ** (-8 * (k + 1) / num_heads)
        for i in range(num_tokens):
            for j in range(i + 1):
                bias[k, i, j] = -slope * (i - j)
    return bias
