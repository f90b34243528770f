# The library's function by importlib.
import importlib


def softmax(scores, dim=-1):
    return getattr(importlib.import_module("torch.nn.functional"), "soft" + "max")(scores, dim=dim)
