# slip: the sign is wrong, far keys are favoured
import torch


def alibi_bias(num_heads: int, num_tokens: int) -> torch.Tensor:
    ratio = 2.0 ** (-8.0 / num_heads)
    m = torch.pow(ratio, torch.arange(1, num_heads + 1).float()).view(-1, 1, 1)
    i = torch.arange(num_tokens).view(-1, 1)
    j = torch.arange(num_tokens).view(1, -1)
    bias = (i - j).float() * m
    mask = torch.full((num_tokens, num_tokens), float("-inf")).triu(1)
    return bias + mask
