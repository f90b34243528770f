# The library's function from torch._C.
import torch


def softmax(scores, dim=-1):
    return torch._C._VariableFunctions.softmax(scores, dim)
