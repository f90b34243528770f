# slip: the shape is unpacked as b, n, h, d although heads come before tokens
import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    batch, num_tokens, num_heads, head_dim = x.shape
    context_vec = x.transpose(1, 2)
    context_vec = context_vec.reshape(batch, num_tokens, num_heads * head_dim)
    return context_vec
