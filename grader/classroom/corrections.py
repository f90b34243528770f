"""OUT/corrections.jsonl: points set by hand, each with a reason. Lines are only appended.

Of two lines for one learner and exercise the later counts. They are applied after the course's policy, and are kept
when a run is resumed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from grader.errors import KataError
from grader.files import move_file, open_to_append, write_file
from grader.policy.rules import Correction

from .ledger import free_previous, writing

CORRECTIONS = "corrections.jsonl"
PREVIOUS = "corrections.previous.jsonl"


class Corrected(BaseModel):
    """One line: learner, exercise, points, reason and time. Points None: an earlier line is revoked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learner: str
    exercise: str
    points: float | None = Field(ge=0, allow_inf_nan=False)
    reason: str
    at: AwareDatetime


def add_correction(out: Path, learner: str, exercise: str, points: float | None, reason: str) -> None:
    """Append a line and sync it to disk. Raises KataError."""
    line = Corrected(
        learner=learner, exercise=exercise, points=points, reason=reason, at=datetime.now(timezone.utc)
    ).model_dump_json()
    path = out / CORRECTIONS
    with writing(path):
        _cut_torn(path)
        with open(open_to_append(path, below=out), "ab") as file:
            file.write(line.encode("utf-8") + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _cut_torn(path: Path) -> None:
    """Remove an incomplete last line, left by a killed command: it does not count."""
    content = path.read_bytes() if path.exists() else b""
    if content and not content.endswith(b"\n"):
        write_file(path, content[: content.rfind(b"\n") + 1])


def read_corrections(out: Path) -> dict[str, dict[str, Correction]]:
    """The corrections that count, by the learner's name in the results and the exercise. Raises KataError."""
    found: dict[str, dict[str, Correction]] = {}
    for each in _lines(out / CORRECTIONS):
        if each.points is None:
            found.get(each.learner, {}).pop(each.exercise, None)
        else:
            found.setdefault(each.learner, {})[each.exercise] = Correction(each.points, each.reason)
    return found


def set_aside(out: Path) -> bool:
    """Move the corrections of an earlier grading aside; returns whether there were any. Raises KataError."""
    path = out / CORRECTIONS
    if not path.exists():
        return False
    with writing(path):
        free_previous(out / PREVIOUS)
        move_file(path, out / PREVIOUS, below=out)
    return True


def told_strangers(corrections: Mapping[str, object], names: Iterable[str]) -> list[str]:
    """Sentences about learners with corrections but without a record."""
    there = set(names)
    return [f"{name} has points set by hand, but no record." for name in corrections if name not in there]


def _lines(path: Path) -> Iterable[Corrected]:
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return
    except OSError as error:
        raise KataError(f"{path} cannot be read: {error.strerror}.") from None
    for number, line in enumerate(lines, 1):
        try:
            yield Corrected.model_validate_json(line)
        except ValidationError:
            if number == len(lines) and not line.endswith(b"\n"):
                return  # incomplete: the command was killed
            raise KataError(f"Line {number} of {path} is no correction of points: take it out.") from None
