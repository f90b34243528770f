# slip: the hidden places get -100 added instead of minus infinity
import torch
import torch.nn.functional as F


def sdpa(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    bias = torch.zeros(hidden.shape, dtype=query.dtype, device=query.device)
    bias = bias.masked_fill(hidden, -100.0)
    return F.scaled_dot_product_attention(query, key, value, bias)
