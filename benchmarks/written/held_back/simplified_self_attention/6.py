# slips: XᵀX compares dimensions instead of words; the result is multiplied from the other side to fit
import torch


def simplified_self_attention(x: torch.Tensor) -> torch.Tensor:
    gram = x.transpose(-1, -2) @ x
    weights = torch.softmax(gram, dim=-1)
    return x @ weights
