# slip: query and key are exchanged, the whole bias is transposed so that earlier keys are hidden
import torch


def alibi_bias(num_heads: int, num_tokens: int) -> torch.Tensor:
    out = torch.full((num_heads, num_tokens, num_tokens), float("-inf"))
    for k in range(1, num_heads + 1):
        slope = 2 ** (-8 * k / num_heads)
        for i in range(num_tokens):
            for j in range(i + 1):
                out[k - 1, j, i] = -slope * (i - j)
    return out
