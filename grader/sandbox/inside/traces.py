"""What a process looks like from inside: after a file that left a trace in it, it looks different."""

from __future__ import annotations

import builtins
import math
from typing import Any

import torch
from torch import nn
from torch.nn import functional, init
from torch.nn.modules import module

LAYERS = (nn.Module, nn.Linear, nn.Embedding, nn.LayerNorm, nn.Dropout, nn.ModuleList, nn.Sequential, nn.Parameter)
SHARED: tuple[Any, ...] = (builtins, math, torch, torch.Tensor, nn, functional, init, module, *LAYERS)
"""Where every file looks things up, and so where one could put something that others find."""


def marks() -> tuple[Any, ...]:
    """What every file finds: the same as long as nobody has exchanged any of it."""
    names = (hash(tuple(map(id, vars(place).values()))) for place in SHARED)
    return torch.get_default_dtype(), torch.is_grad_enabled(), *names
