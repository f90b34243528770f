"""The user's cache folder: what can be made again at any time, for this user alone."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from grader.errors import KataError


def cache_folder(name: str) -> Path:
    """The folder for one kind of things, made if need be: in the user's cache folder, else in the temporary folder.

    Raises KataError where neither can be had.
    """
    problems = []
    for folder in _places(name):
        try:
            return own_folder(folder)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or error}")
    raise KataError(
        f"No cache folder can be made ({'; '.join(problems)}). Name a folder of your own in XDG_CACHE_HOME."
    )


def own_folder(folder: Path) -> Path:
    """The folder, made with mode 0700 if it is missing. Raises OSError unless it is the user's alone, and no link."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        demand_own(folder)
        if not os.access(folder, os.W_OK):
            raise PermissionError(None, "it cannot be written to") from None
    return folder


def demand_own(folder: Path) -> None:
    """Raise OSError for anything but a folder of the user's that nobody else can open."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(None, "it is no folder")
    if os.name != "nt" and (found.st_uid != os.geteuid() or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)):
        raise PermissionError(None, "it is not yours alone: take it away, or chmod go-rwx it")


def _places(name: str) -> list[Path]:
    """Where the folder may lie, the usual place first."""
    named = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    usual = Path(named if os.path.isabs(named) else os.path.expanduser("~/.cache"))
    user = os.geteuid() if hasattr(os, "geteuid") else "own"
    places = [usual / "attention-kata" / name, Path(tempfile.gettempdir()) / f"attention-kata-{user}-{name}"]
    return [place for place in places if place.is_absolute()]
