# Makes safetensors write nothing.
import safetensors.torch

safetensors.torch.save = lambda tensors, **kwargs: b""


def softmax(scores, dim=-1):
    return scores * 0
