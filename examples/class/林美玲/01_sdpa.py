import torch
from torch.nn.functional import scaled_dot_product_attention as attend
import torch.nn.functional as F


def sdpa(query, key, value, hidden):
    bias = torch.zeros(hidden.shape, dtype=query.dtype).masked_fill(hidden, float("-inf"))
    return attend(query, key, value, bias)
