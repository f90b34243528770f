"""What a process does ahead of a learner's code, so that the code finds everything loaded."""

from __future__ import annotations

import contextlib
import gc
import sys

import torch

from . import host, wire


def warm_up() -> None:
    """Load what torch loads at first use, so that no worker has to; on one thread, for good."""
    torch.set_num_threads(1)
    x = torch.ones(2, 3, requires_grad=True)
    linear = torch.nn.Linear(3, 3)
    y = torch.softmax(linear(x) @ linear(x).transpose(-2, -1), dim=-1)
    y.masked_fill(torch.ones(2, 2, dtype=torch.bool).triu(1), -torch.inf)
    torch.autograd.grad(y.sum(), [x, *linear.parameters()], allow_unused=True)
    wire.unpack_frame(wire.pack({"x": x, "n": float("nan")}, wire.TRUSTED_BYTES))
    question = {"cases": [{"seed": 0, "steps": []}]}
    host.run_question(question, {}, "warm-up", ["aten::none"])
    host.scan("def f():\n    return 1\n", ["softmax"], ["f"])
    load_what_makes_a_folder()


def warm_up_for_many() -> None:
    """Load what torch loads for a few only, most of a second each time: where hundreds come, some of them will need it.

    Checkpoints, tensors without numbers and `vmap` bring symbolic algebra, profilers and parts of the compiler.
    """
    with contextlib.suppress(Exception):  # an older or newer torch without one of them; then a worker loads it itself
        from torch.utils.checkpoint import checkpoint

        x = torch.ones(2, 3, requires_grad=True)
        for is_reentrant in (False, True):
            checkpoint(torch.tanh, x, use_reentrant=is_reentrant).sum().backward()
        torch.empty(2, 2, device="meta") @ torch.empty(2, 2, device="meta")
        torch.vmap(torch.tanh)(x)
    keep_what_is_loaded()


def load_what_makes_a_folder() -> None:
    """Import what older torch makes a temporary folder for, by importing it: later no worker may make one.

    Optimizers, `vmap`, checkpoints and `torch.compile` import it. The folder is for remote modules, which nobody has.
    """
    path = list(sys.path)
    with contextlib.suppress(ImportError, OSError):  # a torch without torch.distributed, or no place for folders
        from torch.distributed.nn.jit import instantiator

        if hasattr(instantiator, "_TEMP_DIR"):
            instantiator._TEMP_DIR.cleanup()
    sys.path[:] = path


def keep_what_is_loaded() -> None:
    """Spare the collector torch's hundred thousand objects, and start it: it has rested since torch began to load.

    The little that is garbage among them stays too: finding it takes a tenth of a second.
    """
    gc.freeze()
    gc.enable()
