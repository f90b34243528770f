# right: an additive float mask with minus infinity at the hidden places
import torch
import torch.nn.functional as F


def sdpa(query, key, value, hidden):
    bias = torch.where(hidden, torch.tensor(float("-inf"), dtype=query.dtype), torch.tensor(0.0, dtype=query.dtype))
    return F.scaled_dot_product_attention(query, key, value, bias)
