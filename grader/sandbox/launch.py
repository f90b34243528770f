"""Start a zygote. Imports nothing heavy, so that torch can load there before anything else of ours does."""

from __future__ import annotations

import shutil
import socket
import subprocess
from dataclasses import dataclass

from .levels import Level, environment, zygote_command


class MachineError(Exception):
    """This machine cannot isolate a submission, or the sandbox itself broke. Never a learner's fault."""


@dataclass(frozen=True)
class Launched:
    """A zygote that is starting: its process and the socket that controls it."""

    level: Level
    process: subprocess.Popen[bytes]
    control: socket.socket


def launch(level: Level) -> Launched:
    """Start a zygote without waiting for it. Raises MachineError when what it needs is not installed."""
    if level == "full" and shutil.which("bwrap") is None:
        raise MachineError("bubblewrap is not installed")
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            zygote_command(level, theirs.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            env=environment(),
            cwd="/",
            start_new_session=True,
        )
    return Launched(level, process, ours)
