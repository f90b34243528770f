"""Find out what this machine can isolate by trying it, and say what to install for more.

A level works when a worker was started at it and locked down.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from .levels import Level, MachineError, has_zygotes

PROBE_SECONDS = 20
TRIAL_SECONDS = 60.0
CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")
"""Docker and Podman put one of these into each of their containers."""


def try_level(level: Level) -> str | None:
    """Return why the level does not work on this machine, or None when a worker was started and locked down at it."""
    from .sandbox import open_sandbox  # they load torch, which most callers of this module do not need
    from .worker import Bounds

    try:
        with closing(open_sandbox(level)) as sandbox:
            worker = sandbox.spawn(Bounds())
            worker.await_ready(TRIAL_SECONDS)
            worker.close()
    except MachineError as error:
        return str(error)
    return None


@dataclass(frozen=True)
class Finding:
    """One part of the isolation: whether it works here, and what to do when it does not."""

    part: str
    works: bool
    remedy: str = ""


def examine() -> list[Finding]:
    """Try each part that the levels are built from."""
    return [_bubblewrap(), _landlock(), _seccomp(), _fork()]


def strongest_level(findings: list[Finding] | None = None) -> Level:
    """The strongest level at which this machine can run a learner's code."""
    works = {finding.part: finding.works for finding in (findings if findings is not None else examine())}
    if not (works["fork"] and works["Landlock"] and works["seccomp"]):
        return "process"
    return "full" if works["bubblewrap"] else "reduced"


def _bubblewrap() -> Finding:
    if not sys.platform.startswith("linux"):
        return Finding("bubblewrap", False, "Linux only")
    path = shutil.which("bwrap")
    if path is None:
        return Finding("bubblewrap", False, "install it: apt-get install bubblewrap (as root)")
    # with /proc, as the wall has it: where a container's own is covered, namespaces work and a /proc in them doesn't
    probe = [path, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--cap-drop", "ALL", "/bin/true"]
    try:
        done = subprocess.run(probe, capture_output=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return Finding("bubblewrap", False, "bwrap is there but does not start")
    if done.returncode == 0:
        return Finding("bubblewrap", True)
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return Finding("bubblewrap", False, _refusal(said[-1] if said else "no reason given"))


def _refusal(said: str) -> str:
    what = "a /proc of its own is" if "mount proc" in said else "user namespaces are"
    inside = any(Path(mark).exists() for mark in CONTAINER_MARKS)
    return f"{what} not allowed here ({said})" + (": a container, see docs/server.md for its flags" if inside else "")


def _landlock() -> Finding:
    try:
        from landlockpy import abi_version

        version = abi_version()
    except (ImportError, OSError):
        return Finding("Landlock", False, "install the Python package landlockpy (Linux only)")
    return Finding("Landlock", version >= 1, "" if version >= 1 else "a kernel of 5.13 or later with Landlock on")


def _seccomp() -> Finding:
    if not sys.platform.startswith("linux"):
        return Finding("seccomp", False, "Linux only")
    try:
        import pyseccomp  # noqa: F401
    except (ImportError, OSError, RuntimeError):
        return Finding("seccomp", False, "install it: apt-get install libseccomp2 (as root)")
    return Finding("seccomp", True)


def _fork() -> Finding:
    works = has_zygotes()
    return Finding("fork", works, "" if works else "Linux only; your own code runs in a child process started ahead")
