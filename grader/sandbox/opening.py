"""Open what a learner's code runs in."""

from __future__ import annotations

from .launch import JoinedZygote, Launched, LaunchedZygote, launch
from .levels import Level
from .sandbox import Sandbox
from .spares import Spares

AnySandbox = Sandbox | Spares


def open_sandbox(level: Level, launched: Launched | JoinedZygote | None = None) -> AnySandbox:
    """The sandbox around a process that was launched for it, or is launched now. It does not wait for the process.

    Raises MachineError when what this level needs is not on this machine.
    """
    started = launched or launch(level)
    return Sandbox(level, started) if isinstance(started, (LaunchedZygote, JoinedZygote)) else Spares(started)
