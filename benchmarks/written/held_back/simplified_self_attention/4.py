# slip: the scores are scaled by the square root of the width although nothing is to be scaled
import torch
import torch.nn.functional as F


def simplified_self_attention(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)
