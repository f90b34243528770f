import torch
from torch.nn import functional as nnf


def sdpa(query, key, value, hidden):
    mask = torch.where(hidden, -1e9, 0.0).double()
    out = nnf.scaled_dot_product_attention(query.double(), key.double(), value.double(), attn_mask=mask)
    return out.type_as(query)
