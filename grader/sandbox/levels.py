"""The isolation levels, and the process that a learner's code runs in at each of them.

Imports nothing heavy, so that torch can load there first.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Level = Literal["full", "reduced", "process", "none"]
LEVELS: tuple[Level, ...] = get_args(Level)
GRADING_LEVELS: tuple[Level, ...] = ("full", "reduced")
"""The levels at which other people's work may be graded."""

INSIDE = Path(__file__).parent / "inside"
BOUND_AT = "/kata"
"""Where the sandbox mounts `inside`."""

SYSTEM = ("/usr/local", "/usr", "")
SYSTEM_FOLDERS = tuple(f"{each}/{name}" for each in SYSTEM for name in ("lib", "lib32", "lib64", "bin", "sbin"))
"""Programs and libraries alone: elsewhere in /usr people put files, such as nbgrader's exchange."""
SYSTEM_FILES = ("/etc/ld.so.cache", "/usr/share/zoneinfo")
TEMPORARY = "/tmp"

# Environment variables that torch reads at import: once a process has run a two-thread product, its forks hang.
COMPUTING = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLBACKEND": "agg",
    "TORCHDYNAMO_DISABLE": "1",  # torch.compile runs the code as it is: there is no compiler behind the wall
}
ENVIRONMENT = {
    **COMPUTING,
    "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
    "LANG": "C.UTF-8",
    "PYTHONNOUSERSITE": "1",
    # libraries ask for a temporary folder, though none can be created there
    "TMPDIR": TEMPORARY,
    "MPLCONFIGDIR": TEMPORARY,
    "TORCHINDUCTOR_CACHE_DIR": TEMPORARY,
}
PASSED_ON = ("ATEN_CPU_CAPABILITY",)


def has_zygotes() -> bool:
    """Whether workers can be forked from a warm process here; otherwise a child is started ahead."""
    return hasattr(os, "pidfd_open")  # the newest of the system calls that it takes; only Linux has it


def python_folders() -> list[str]:
    """The folders that hold this interpreter and its packages, outermost first, without repeats."""
    prefixes = (sys.base_prefix, sys.prefix, sys.exec_prefix, sys.base_exec_prefix)
    home = str(Path(os.path.realpath(sys.executable)).parent.parent)
    kept: list[str] = []
    for path in sorted({*prefixes, *map(os.path.realpath, prefixes), home}, key=len):
        if path not in SYSTEM and not any(Path(path).is_relative_to(other) for other in kept):
            kept.append(path)
    return kept


def exposed(place: Path) -> str | None:
    """The folder around this path that the sandbox exposes to learners' code, or None."""
    real = place.resolve()
    for shown in (*SYSTEM_FOLDERS, *python_folders()):
        if real.is_relative_to(Path(shown).resolve()):
            return shown
    return None


_LOADING = "import gc, sys; gc.disable(); sys.path[0] = sys.argv.pop()"
"""The garbage collector would find nothing while torch loads (see launch_ahead); `keep_what_is_loaded` turns it on."""


def zygote_command(level: Level, control: int) -> list[str]:
    """The command line that starts a zygote at this level; `control` is the descriptor of its control socket."""
    if level == "full":
        return [*_bubblewrap(), *_python(BOUND_AT, control, locked=True)]
    return _python(str(INSIDE.parent), control, locked=level == "reduced")


def _python(package_folder: str, control: int, *, locked: bool) -> list[str]:
    start = f"{_LOADING}; from inside.zygote import main; main()"
    inside = str(Path(package_folder) / INSIDE.name)
    readable = [*SYSTEM_FOLDERS, *SYSTEM_FILES, *python_folders(), inside]
    settings = json.dumps({"control": control, "locked": locked, "readable": readable})
    # `../.venv/bin/python` is relative to the working directory, which the sandbox does not have
    return [os.path.abspath(sys.executable), "-s", "-B", "-c", start, settings, package_folder]


def _bubblewrap() -> list[str]:
    command = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--uid", "65534", "--gid", "65534"]
    # the empty folder first: later binds may lie below it
    command += ["--die-with-parent", "--new-session", "--clearenv", "--tmpfs", TEMPORARY]
    for name, value in environment().items():
        command += ["--setenv", name, value]
    for folder in [*SYSTEM_FOLDERS, *SYSTEM_FILES]:
        command += ["--ro-bind-try", folder, folder]
    for folder in python_folders():
        if not any(Path(folder).is_relative_to(system) for system in SYSTEM_FOLDERS):
            command += ["--ro-bind", folder, folder]
    command += ["--ro-bind", str(INSIDE), f"{BOUND_AT}/{INSIDE.name}"]
    command += ["--proc", "/proc", "--dev", "/dev", "--cap-drop", "ALL"]
    return [*command, "--chdir", "/", "--remount-ro", "/"]


def environment() -> dict[str, str]:
    """The whole environment of a zygote; nothing else is inherited from the judge."""
    return {**ENVIRONMENT, **{name: os.environ[name] for name in PASSED_ON if name in os.environ}}


# --- what is started --------------------------------------------------------------------------------------------------


class MachineError(Exception):
    """This machine cannot isolate a submission, or the sandbox itself broke. Never a learner's fault."""


@dataclass(frozen=True)
class Launched:
    """A process that is starting: a zygote, with the socket that controls it, or a waiting child for practice.

    Of a zygote that other judges use too there is this judge's own socket, and no process.
    """

    level: Level
    process: subprocess.Popen[bytes] | None
    control: socket.socket | None = None


def join(zygote: Launched) -> Launched | None:
    """This judge's own socket to a zygote that runs or is starting; None when the zygote is gone."""
    assert zygote.control is not None
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        try:
            socket.send_fds(zygote.control, [json.dumps({"join": True}).encode()], [theirs.fileno()])
        except OSError:
            ours.close()
            return None
    return Launched(zygote.level, None, ours)


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


def launch_zygote(level: Level) -> Launched:
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
    return Launched(level, process, ours)


def launch_spawned() -> Launched:
    """Start a waiting child, for a learner's own practice on any system, without waiting for it.

    Its environment is the learner's own, as torch may be found through it. Raises MachineError when it does not start.
    """
    start = f"{_LOADING}; from inside.spawned import main; main()"
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", start, str(INSIDE.parent)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **COMPUTING, "PYTHONUTF8": "1"},
            cwd=os.path.abspath(os.sep),
            # Ctrl-C in the terminal must reach the judge only: start_new_session does it on POSIX, creationflags on
            # Windows
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise MachineError(f"a process could not be started ({error})") from error
    return Launched("process", process)
