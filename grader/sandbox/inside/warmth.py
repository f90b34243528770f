"""Loads ahead of time what a learner's code will need, and makes forking cheap.

A process with torch loaded has some 36,000 small pages of its own; copying their entries is most of what a fork costs.
Collapsed into large pages there are fewer, and forks exit faster too.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys

import torch

from . import host, wire


def warm_up() -> None:
    """Load what torch loads at first use, so that no worker has to. Sets one thread, for good."""
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


def load_what_few_need() -> None:
    """Load what few workers need, most of a second each time.

    Checkpoints, meta tensors and `vmap` import sympy, profilers and parts of the compiler.
    """
    with contextlib.suppress(Exception):  # a torch version without one of them; then the worker loads it itself
        from torch.utils.checkpoint import checkpoint

        x = torch.ones(2, 3, requires_grad=True)
        for is_reentrant in (False, True):
            checkpoint(torch.tanh, x, use_reentrant=is_reentrant).sum().backward()
        torch.empty(2, 2, device="meta") @ torch.empty(2, 2, device="meta")
        torch.vmap(torch.tanh)(x)
    keep_what_is_loaded()


def load_what_makes_a_folder() -> None:
    """Import a module for which older torch creates a temporary folder: later no worker may create one.

    Optimizers, `vmap`, checkpoints and `torch.compile` import it. The folder is for remote modules, which are not used.
    """
    path = list(sys.path)
    # a torch without torch.distributed, or no writable temporary folder
    with contextlib.suppress(ImportError, OSError):
        from torch.distributed.nn.jit import instantiator

        if hasattr(instantiator, "_TEMP_DIR"):
            instantiator._TEMP_DIR.cleanup()
    sys.path[:] = path


def keep_what_is_loaded() -> None:
    """Exempt torch's hundred thousand objects from garbage collection, and enable it: it was off while torch loaded.

    The little garbage among them stays too: finding it would take a tenth of a second.
    """
    gc.freeze()
    gc.enable()


# --- large pages ------------------------------------------------------------------------------------------------------

LARGE = 2 * 1024 * 1024
"""Bytes of a large page on x86-64 and, as most are set up, on 64-bit ARM."""
MADV_COLLAPSE = 25
"""madvise flag, from Linux 6.1 on: collapse the range into large pages, synchronously."""
MAPS = "/proc/self/maps"
OWN = ("", "[heap]")
"""Mappings that are not backed by a file."""


def places() -> list[int]:
    """The addresses in this process's own memory at which a large page can begin."""
    found: list[int] = []
    with contextlib.suppress(OSError), open(MAPS, encoding="ascii", errors="replace") as lines:
        for line in lines:
            span, rights, _, _, _, *name = line.split(maxsplit=5)
            if rights.startswith("rw") and "".join(name).strip() in OWN:
                start, end = (int(edge, 16) for edge in span.split("-"))
                first = -(-start // LARGE) * LARGE
                found += range(first, end - LARGE + 1, LARGE)
    return found


def collapse(place: int) -> None:
    """Make one large page at this address, which takes milliseconds. Failure does not matter: it affects speed only."""
    ctypes.CDLL(None).madvise(ctypes.c_void_p(place), ctypes.c_size_t(LARGE), MADV_COLLAPSE)
