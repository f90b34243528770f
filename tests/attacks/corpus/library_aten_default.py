# The operator below, by its overload.
import torch


def softmax(scores, dim=-1):
    return torch.ops.aten._softmax.default(scores, dim, False)
