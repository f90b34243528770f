# slips: the scores are divided by the square root of d; the result keeps a leading axis of size 1
import torch
import torch.nn.functional as F


def context_vector(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    q = query.view(1, 1, -1)
    kv = inputs[None]
    return F.scaled_dot_product_attention(q, kv, kv)[0]
