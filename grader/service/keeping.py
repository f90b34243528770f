"""Which judges are kept warm, and how they are ended."""

from __future__ import annotations

from pathlib import Path

from .line import call
from .messages import Request
from .place import Registration, ServiceError, all_registered, forget, judges_folder

END_SECONDS = 5.0
"""A judge that is at work ends when it has done that; nobody waits longer for it."""


def kept_judges(folder: Path | None = None) -> list[Registration]:
    """The judges that answer; what is left of others is taken away. Raises ServiceError."""
    place = judges_folder() if folder is None else folder
    return [each for each in all_registered(place) if _answers(place, each)]


def stop_judges() -> int:
    """End all that are kept for this user; how many there were. Raises ServiceError."""
    folder = judges_folder()
    return sum(stop_judge(folder, each) for each in all_registered(folder))


def stop_judge(folder: Path, known: Registration) -> bool:
    """Have a judge end when it has done what it was asked before; whether one was there."""
    try:
        with call(known) as line:
            line.send_bytes(Request("end").to_bytes())
            line.poll(END_SECONDS)
    except (ServiceError, OSError):
        forget(folder, known)
        return False
    return True


def _answers(folder: Path, known: Registration) -> bool:
    try:
        call(known).close()
    except ServiceError:
        forget(folder, known)
        return False
    return True
