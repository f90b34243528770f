"""Where warm judges are registered: a folder of the user's own, one file a judge.

Whoever can read a registration can connect to that judge, so a folder that others can read or write is refused.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from grader.writing import lock_at, write_file

FOLDER = "attention-kata"
INNER = "judges"
OTHERS = stat.S_IRWXG | stat.S_IRWXO
MAX_BYTES = 100_000
OLD_SECONDS = 24 * 60 * 60.0


class ServiceError(Exception):
    """No judge can be kept warm here, or the warm one is gone; the text is one sentence."""


@dataclass(frozen=True)
class Registration:
    """A warm judge: how to connect to it, and what it is for."""

    name: str
    """Digest of the program, course and machine it is for."""
    pid: int
    address: str
    family: str
    key: str
    """The shared secret of both ends, in hexadecimal."""
    course: str
    level: str
    since: float


def judges_folder() -> Path:
    """The folder, created if need be. Raises ServiceError when it is not safe to use."""
    folder = _own_state() / INNER
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except OSError as error:
        raise ServiceError(f"{folder} cannot be made: {error.strerror or error}.") from None
    if not stat.S_ISDIR(found.st_mode):
        raise ServiceError(f"{folder} is no folder.")
    if hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or found.st_mode & OTHERS):
        raise ServiceError(f"{folder} is not yours alone: take it away, or chmod go-rwx it.")
    return folder


def _own_state() -> Path:
    if os.name == "nt":
        told = os.environ.get("LOCALAPPDATA", "")
    else:
        told = os.environ.get("XDG_RUNTIME_DIR", "") or os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(told):
        return Path(told) / FOLDER
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise ServiceError("Nobody knows where your own files are: set HOME to your home folder.")
    return Path(home) / ".cache" / FOLDER


def register(folder: Path, registration: Registration) -> None:
    """Publish a judge's registration. Raises OSError."""
    write_file(_file(folder, registration.name), json.dumps(asdict(registration)).encode(), mode=0o600)


def registered(folder: Path, name: str) -> Registration | None:
    """The judge registered under that name, if any. It may have ended since."""
    try:
        with _file(folder, name).open("rb") as file:
            if hasattr(os, "geteuid") and os.fstat(file.fileno()).st_uid != os.geteuid():
                return None
            return _registration(json.loads(file.read(MAX_BYTES)))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def all_registered(folder: Path) -> Iterator[Registration]:
    """Every registered judge, running or not."""
    for path in sorted(folder.glob("*.json")):
        if (found := registered(folder, path.stem)) is not None:
            yield found


def forget(folder: Path, registration: Registration) -> None:
    """Remove a registration, unless another judge has taken the name since."""
    if registered(folder, registration.name) == registration:
        with suppress(OSError):
            _file(folder, registration.name).unlink()


def starting_lock(folder: Path, name: str, seconds: float) -> FileLock:
    """Lock for starting the judge of that name, so that concurrent commands start only one. Raises OSError."""
    return lock_at(folder / f"{name}.lock", seconds=seconds)


def remove_old_locks(folder: Path) -> None:
    """Remove the locks of judges that no longer exist: every change of course or program leaves one behind."""
    for path in folder.glob("*.lock"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > OLD_SECONDS and registered(folder, path.stem) is None:
                path.unlink()


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.json"


def _registration(told: dict[str, Any]) -> Registration:
    texts = {each: str(told[each]) for each in ("name", "address", "family", "key", "course", "level")}
    return Registration(**texts, pid=int(told["pid"]), since=float(told["since"]))
