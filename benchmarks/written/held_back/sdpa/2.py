# slip: the mask is passed as a float of 0 and 1 and so only added to the scores
import torch
import torch.nn.functional as F


def sdpa(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    mask = (~hidden).to(query.dtype)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=0.0)
