# slip: each word is kept from looking at itself, the diagonal of the scores is hidden
import torch


def simplified_self_attention(x: torch.Tensor) -> torch.Tensor:
    n = x.size(-2)
    scores = x @ x.mT
    if n > 1:
        scores = scores.masked_fill(torch.eye(n, dtype=torch.bool), float("-inf"))
    return scores.softmax(-1) @ x
