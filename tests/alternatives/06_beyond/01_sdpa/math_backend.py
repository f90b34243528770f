import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def sdpa(query, key, value, hidden):
    attend = getattr(F, "scaled_dot_product_attention")
    with sdpa_kernel(SDPBackend.MATH):
        return attend(query=query, key=key, value=value, attn_mask=torch.bitwise_not(hidden))
