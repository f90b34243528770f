# slips: a leading axis of size 1 is added; the triangle begins two places right of the diagonal
import torch


def causal_mask(num_tokens: int) -> torch.Tensor:
    subsequent = torch.ones(1, num_tokens, num_tokens).triu(diagonal=2)
    return subsequent == 1
