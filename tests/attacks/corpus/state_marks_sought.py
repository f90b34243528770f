# Looks for the marks that another learner left.
import builtins
import os
import sys

import torch

for place in (builtins, torch, sys, torch.Tensor):
    if hasattr(place, "left_behind"):
        raise RuntimeError(f"left behind in {place}")
if "LEFT_BEHIND" in os.environ or "left_behind" in sys.modules:
    raise RuntimeError("left behind")
if torch.get_default_dtype() != torch.float32 or not torch.is_grad_enabled() or torch.are_deterministic_algorithms_enabled():
    raise RuntimeError("torch is not as it was")


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
