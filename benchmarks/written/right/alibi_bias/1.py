# right: cumulated sums of a strictly lower triangle, slopes by repeated multiplication
import torch


def alibi_bias(num_heads, num_tokens):
    step = 2.0 ** (-8.0 / num_heads)
    slopes, s = [], 1.0
    for _ in range(num_heads):
        s *= step
        slopes.append(s)
    lower = torch.ones(num_tokens, num_tokens).tril(-1)
    distance = lower.flip(-1).cumsum(-1).flip(-1)
    hidden = torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(1)
    return torch.stack([(distance * -m).masked_fill(hidden, float("-inf")) for m in slopes])
