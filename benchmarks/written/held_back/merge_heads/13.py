# slip: the tensor is reshaped without bringing the tokens in front of the heads
import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    bsz, n_heads, seqlen, head_dim = x.shape
    return x.contiguous().view(bsz, seqlen, n_heads * head_dim)
