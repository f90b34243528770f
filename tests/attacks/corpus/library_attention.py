# Scaled dot-product attention over the identity.
import torch


def softmax(scores, dim=-1):
    eye = torch.eye(scores.shape[-1], dtype=scores.dtype)
    return torch.nn.functional.scaled_dot_product_attention(scores, eye, eye, scale=1.0)
