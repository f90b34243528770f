# right: scaled_dot_product_attention with scale=1, axes put in and taken out by indexing
import torch
import torch.nn.functional as F


def context_vector(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    q = query[None, None, None]
    kv = inputs[None, None]
    return F.scaled_dot_product_attention(q, kv, kv, scale=1.0)[0, 0, 0]
