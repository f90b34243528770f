# slip: the last two axes are transposed instead of heads and tokens
import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    bsz, n_head, seqlen, head_dim = x.shape
    out = x.transpose(2, 3).contiguous().view(bsz, seqlen, n_head * head_dim)
    return out
