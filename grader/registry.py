"""The user's registered workspaces, each with its course: a file in the user's own configuration.

A folder cannot say itself which course is used in it, since it may come from anyone; this file can, since only the user
can write it. Loaded by every pytest run in the environment, so it imports nothing heavy.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = "attention-kata"
FILE = "workspaces.json"
LOCK = "workspaces.lock"
LOCK_SECONDS = 20
VERSION = 1
MAX_BYTES = 4_000_000


class RegistryError(Exception):
    """The registrations cannot be used; the text is one sentence."""


@dataclass(frozen=True)
class Registered:
    """A workspace, its course.yml, and the owner of that file at registration."""

    root: Path
    course: Path
    owner: int


def config_folder() -> Path:
    """The user's configuration folder of this program. Relative paths in the environment are ignored."""
    told = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", "")
    if os.path.isabs(told):
        return Path(told) / FOLDER
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise RegistryError("Nobody knows where your own settings are: set HOME to your home folder.")
    return Path(home) / ".config" / FOLDER


def registered_around(start: Path) -> Registered | None:
    """The nearest registered folder: this one or one above it. Raises RegistryError."""
    known = _read(config_folder())
    return next((known[folder] for folder in folders_around(start) if folder in known), None)


def registered() -> list[Registered]:
    """All registered folders, the newest last. Raises RegistryError."""
    return list(_read(config_folder()).values())


def folders_around(start: Path) -> Iterator[str]:
    """A folder and its parents with links resolved, along the path as given, then along the real path."""
    called = Path(os.path.abspath(start))
    real = Path(os.path.realpath(start))
    seen = set()
    for folder in (called, *called.parents, real, *real.parents):
        if (name := os.path.realpath(folder)) not in seen:
            seen.add(name)
            yield name


def register(root: Path, course: Path) -> None:
    """Register a workspace with this course.yml. Raises RegistryError and OSError."""
    from .writing import lock_at, write_file

    folder = config_folder()
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        folder.mkdir(mode=0o700)
    here = Path(os.path.realpath(root))
    with lock_at(folder / LOCK, seconds=LOCK_SECONDS):
        known = _read(folder)
        file = Path(os.path.realpath(course))
        known[str(here)] = Registered(here, file, file.stat().st_uid)
        told = {name: {"course": str(each.course), "owner": each.owner} for name, each in known.items()}
        text = json.dumps({"version": VERSION, "workspaces": told}, indent=1) + "\n"
        write_file(folder / FILE, text.encode("utf-8"), synced=True, mode=0o600)


def owner_of(path: Path) -> int | None:
    """The user id of a file's owner; None when it does not exist."""
    try:
        return path.stat().st_uid
    except OSError:
        return None


def is_users_own(path: Path) -> bool:
    """Whether the current user owns a file. Always so on systems without owners."""
    return not hasattr(os, "geteuid") or owner_of(path) == os.geteuid()


def _read(folder: Path) -> dict[str, Registered]:
    """The registrations, by folder. Raises RegistryError for a file that others could have written."""
    path = folder / FILE
    try:
        with path.open("rb") as file:
            _demand_own(folder, os.stat(folder))
            _demand_own(path, os.fstat(file.fileno()))
            content = file.read(MAX_BYTES)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RegistryError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        told = json.loads(content)
        return {name: _registered(name, each) for name, each in told["workspaces"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise RegistryError(f"{path} is damaged: remove it, and name your folders anew with `kata init DIR`.") from None


def _registered(name: str, told: dict[str, Any]) -> Registered:
    if not (isinstance(told["course"], str) and isinstance(told["owner"], int)):
        raise TypeError("no course")
    return Registered(Path(name), Path(told["course"]), told["owner"])


def _demand_own(path: Path, found: os.stat_result) -> None:
    if not hasattr(os, "geteuid"):
        return
    if found.st_uid != os.geteuid():
        raise RegistryError(
            f"{path} belongs to another user, so no course is taken from it: name one with --course, or set HOME."
        )
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise RegistryError(f"{path} can be changed by others, so no course is taken from it: chmod go-w {path}")
