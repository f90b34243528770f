# slip: the relative distance of BLOOM is used, slope times the key's place, without the query's
import torch


def alibi_bias(num_heads: int, num_tokens: int) -> torch.Tensor:
    base = 2 ** (-(2 ** -(torch.log2(torch.tensor(float(num_heads))).item() - 3)))
    powers = torch.arange(1, 1 + num_heads)
    slopes = torch.pow(torch.tensor(base), powers)
    alibi = slopes[:, None, None] * torch.arange(num_tokens)[None, None, :].expand(num_heads, num_tokens, num_tokens)
    causal = torch.ones(num_tokens, num_tokens).triu(1).bool()
    return alibi.masked_fill(causal, float("-inf"))
