"""What a command and a warm judge agree on: which judge it is, where it is registered, and what they send each other.

Judges are registered in a folder that is the user's alone, each in a file of mode 0600 with its address and its
authentication key: whoever can read it can ask that judge. Messages are JSON, as bytes; nothing is ever unpickled.
Whether program or course have changed is told by names, sizes and times of files, which takes milliseconds.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, TypeAdapter, with_config

from grader.errors import KataError
from grader.files import own_folder, write_file
from grader.intake import Submission
from grader.mismatch import Mismatch
from grader.sandbox.levels import Level
from grader.starting import HOME

PROTOCOL = 1
"""Version of what client and server send each other. Another version asks another judge."""
SETTINGS = ("OMP_", "MKL_", "ATEN_", "TORCH_", "KATA_", "PYTHON", "HOME", "TMPDIR", "TMP", "TEMP")
"""Prefixes of the environment variables that may affect a judge's work."""
READ_OF_COURSE = ("course.yml", "solutions", "tests/kits", "plans")
"""What a judge reads from a course. Files that learners edit are not part of it."""
SKIPPED = ("__pycache__", "carried_course")


class ServiceError(KataError):
    """No judge can be kept warm here, or none lasts."""


# --- where judges are -----------------------------------------------------------------------------------------------


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
    names = ("LOCALAPPDATA",) if os.name == "nt" else ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME")
    places = [*(os.environ.get(name, "") for name in names), os.path.expanduser("~/.cache")]
    if (state := next(filter(os.path.isabs, places), None)) is None:
        raise ServiceError("It is not known where your own files are: set HOME to your home folder.")
    folder = Path(state) / "attention-kata" / f"judges-{platform.node()}"  # homes are shared between machines
    try:
        return own_folder(folder)
    except OSError as error:
        raise ServiceError(f"{folder} cannot be used: {error.strerror or error}.") from None


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


# --- messages -------------------------------------------------------------------------------------------------------


@with_config(ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"))
@dataclass(frozen=True)
class Request:
    """Asks for a submission's record, or, without a submission, for the judge's end. No exercises named: all."""

    seed: int = 0
    only: tuple[str, ...] = ()
    submission: Submission | None = None


@with_config(ConfigDict(ser_json_inf_nan="constants"))
@dataclass(frozen=True)
class Reply:
    """One message of an answer; all kinds but those of NOT_LAST are the last one."""

    kind: Literal["begun", "advance", "graded", "machine", "broken", "ended"]
    text: str = ""
    """The exercise that was done, the record as JSON, or the sentence of an error."""
    mismatches: tuple[tuple[str, str, Mismatch], ...] = ()
    """By exercise and check, with the record."""


NOT_LAST = ("begun", "advance")
REQUEST = TypeAdapter(Request)
REPLY = TypeAdapter(Reply)


# --- whether anything has changed -----------------------------------------------------------------------------------


def course_stamp(course: Path) -> str:
    """Digest of the state of a course.yml, of what belongs to it, of this program and of the installed PyTorch."""
    torch = find_spec("torch")
    places = [HOME / "grader", *(course.parent / part for part in READ_OF_COURSE)]
    if torch and torch.origin:
        places.append(Path(torch.origin).with_name("version.py"))
    lines = sorted(line for place in places for line in _lines(place))
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _lines(place: Path) -> Iterator[str]:
    """One line for each file at or below a place."""
    if place.is_file():
        yield _line(os.fspath(place))
    for folder, folders, files in os.walk(place, followlinks=True):
        folders[:] = [name for name in folders if name not in SKIPPED]
        yield from (_line(os.path.join(folder, name)) for name in files)


def _line(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:  # deleted meanwhile, or a dangling link: editors leave such things beside the files they edit
        return f"{path}\0\n"
    # ctime too, which cannot be set back
    return f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0{found.st_ctime_ns}\0{found.st_ino}\n"
