# slip: in evaluation the weights are multiplied by (1 - p), though training already scales up
import torch


def attention_dropout(weights: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
    q = 1 - p
    if training:
        if q == 0:
            return weights * 0
        noise = torch.empty_like(weights).bernoulli_(q)
        return weights * noise / q
    return weights * q
