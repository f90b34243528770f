"""Start the process that a learner's code will run in. Imports nothing heavy, so that torch can load there first."""

from __future__ import annotations

import gc
import json
import os
import shutil
import socket
import subprocess
from dataclasses import dataclass

from .levels import (
    GRADING_LEVELS,
    Level,
    environment,
    has_zygotes,
    spawned_command,
    spawned_environment,
    zygote_command,
)


class MachineError(Exception):
    """This machine cannot isolate a submission, or the sandbox itself broke. Never a learner's fault."""


@dataclass(frozen=True)
class Launched:
    """A process that is starting: a zygote, or a waiting child for practice."""

    level: Level
    process: subprocess.Popen[bytes]


@dataclass(frozen=True)
class LaunchedZygote(Launched):
    """A zygote that is starting, and the socket that controls it."""

    control: socket.socket


@dataclass(frozen=True)
class JoinedZygote:
    """A zygote that other judges use too, and this judge's own socket to it."""

    level: Level
    control: socket.socket


def join(zygote: LaunchedZygote) -> JoinedZygote | None:
    """This judge's own socket to a zygote that runs or is starting; None when the zygote is gone."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        try:
            socket.send_fds(zygote.control, [json.dumps({"join": True}).encode()], [theirs.fileno()])
        except OSError:
            ours.close()
            return None
    return JoinedZygote(zygote.level, ours)


def launch(level: Level) -> Launched:
    """Start, without waiting, the process that `level` needs here. Raises MachineError when a requirement is missing.

    This is the only place that decides which process that is: a zygote, or, for practice without fork, a waiting child.
    Grading never falls back.
    """
    if level in GRADING_LEVELS or has_zygotes():
        return launch_zygote(level)
    return launch_spawned()


def launch_ahead(level: Level) -> Launched:
    """As `launch`, for a caller that is about to load torch and a judge itself. Raises MachineError.

    Loading makes a hundred thousand objects that stay, and Python's garbage collector would scan them again and again,
    a fifth of the loading time. So it is off from here until the judge grades.
    """
    launched = launch(level)
    gc.disable()
    return launched


def launch_zygote(level: Level) -> LaunchedZygote:
    """Start a zygote without waiting for it. Raises MachineError when what it needs is not installed."""
    if level == "full" and shutil.which("bwrap") is None:
        raise MachineError("bubblewrap is not installed")
    if not has_zygotes():
        raise MachineError("a system that forks as Linux does")
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
    return LaunchedZygote(level, process, ours)


def launch_spawned() -> Launched:
    """Start a waiting child without waiting for it. Raises MachineError when no process can be started."""
    try:
        process = subprocess.Popen(
            spawned_command(),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=spawned_environment(),
            cwd=os.path.abspath(os.sep),
            # Ctrl-C in the terminal must reach the judge only: start_new_session does it on POSIX, creationflags on
            # Windows
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise MachineError(f"a process could not be started ({error})") from error
    return Launched("process", process)
