"""Where warm judges are registered: a folder that is the user's alone, in it a file of mode 0600 for each judge.

The file holds the judge's address and its authentication key: whoever can read it can ask that judge.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.cache_folder import own_folder
from grader.errors import KataError
from grader.files import write_file
from grader.sandbox.levels import Level
from grader.starting import HOME

PROTOCOL = 1
"""Version of what client and server send each other. Another version asks another judge."""

SETTINGS = ("OMP_", "MKL_", "ATEN_", "TORCH_", "KATA_", "PYTHON", "HOME", "TMPDIR", "TMP", "TEMP")
"""Prefixes of the environment variables that may affect a judge's work."""


class ServiceError(KataError):
    """No judge can be kept warm here, or none lasts."""


@dataclass(frozen=True)
class Registration:
    """A warm judge: how to connect to it, and what it is for."""

    name: str
    pid: int
    address: str
    key: str
    """The authentication key of both ends, in hexadecimal."""
    course: str
    level: str


def judge_name(course: Path, level: Level) -> str:
    """The name of the judge for a course.yml: the same for all commands of this program in this environment."""
    settings = sorted([name, value] for name, value in os.environ.items() if name.startswith(SETTINGS))
    program = [PROTOCOL, str(HOME), sys.executable, sys.version, shutil.which("bwrap")]
    return hashlib.sha256(json.dumps([*program, str(course), level, settings]).encode()).hexdigest()[:32]


def judges_folder() -> Path:
    """The folder of registrations, made if need be. Raises ServiceError when it is not the user's alone."""
    folder = _own_state() / "attention-kata" / f"judges-{platform.node()}"  # homes are shared between machines
    try:
        return own_folder(folder)
    except OSError as error:
        raise ServiceError(f"{folder} cannot be used: {error.strerror or error}.") from None


def _own_state() -> Path:
    names = ("LOCALAPPDATA",) if os.name == "nt" else ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME")
    for named in (*(os.environ.get(name, "") for name in names), os.path.expanduser("~/.cache")):
        if os.path.isabs(named):
            return Path(named)
    raise ServiceError("It is not known where your own files are: set HOME to your home folder.")


def register(folder: Path, judge: Registration) -> None:
    """Publish a judge. Raises OSError."""
    write_file(folder / f"{judge.name}.json", json.dumps(asdict(judge)).encode(), mode=0o600)


def registered(folder: Path, name: str = "*") -> list[Registration]:
    """The judges of that name, at most one, or all. They may have ended since."""
    found = []
    for path in folder.glob(f"{name}.json"):
        with suppress(OSError, ValueError, TypeError):
            found.append(Registration(**json.loads(path.read_bytes())))
    return found


def unregister(folder: Path, judge: Registration) -> None:
    """Remove a judge's socket, and its registration unless another judge has taken the name since."""
    with suppress(OSError):
        if judge in registered(folder, judge.name):
            (folder / f"{judge.name}.json").unlink()
        os.unlink(judge.address)
        os.rmdir(os.path.dirname(judge.address))
