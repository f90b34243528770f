# slip: the slopes start at k = 0, so the first head's slope is 1
import torch


def alibi_bias(num_heads, num_tokens):
    slopes = torch.tensor([2 ** (-8 * k / num_heads) for k in range(num_heads)])
    pos = torch.arange(num_tokens)
    dist = pos[:, None] - pos[None, :]
    bias = -slopes[:, None, None] * dist
    return bias.masked_fill(dist < 0, float("-inf"))
