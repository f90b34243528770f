# slip: the heads' rows are interleaved
import torch


def combine_heads(head_weights) -> torch.Tensor:
    W = torch.stack(list(head_weights), dim=1)
    d_head, h, d_in = W.shape
    return W.reshape(d_head * h, d_in)
