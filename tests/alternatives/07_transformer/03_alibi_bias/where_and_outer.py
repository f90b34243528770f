import torch


def alibi_bias(num_heads, num_tokens):
    i, j = torch.meshgrid(torch.arange(num_tokens), torch.arange(num_tokens), indexing="ij")
    slopes = torch.logspace(-8 / num_heads, -8, num_heads, base=2.0).view(-1, 1, 1)
    return torch.where(j <= i, slopes * (j - i), torch.tensor(float("-inf")))
