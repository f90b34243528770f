"""The class as it was graded: who is in it, in what order, and under what name. One learner a line of class.jsonl."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.writing import write_file

CLASS_LIST = "class.jsonl"


class Learner(BaseModel):
    """One learner of a class."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(description="A record's `submission`: the roster's id, else the hand-in's name.")
    shown: str = Field(description="The name for people: the roster's, or the submission's own.")
    email: str = ""
    handed_in: bool = True
    in_roster: bool = Field(default=False, description="Whether a roster names this learner.")
    is_disputed: bool = Field(default=False, description="Whether several submissions claim to be theirs: none counts.")
    platform: str = Field(default="", description="The platform whose names the submission bears, if it does.")
    ids: tuple[str, ...] = Field(default=(), description="What that platform calls the learner.")


class ClassListError(ValueError):
    """The class list cannot be read; the text is one sentence."""


def as_lines(learners: Iterable[Learner]) -> Iterator[bytes]:
    """A class list's lines."""
    for learner in learners:
        yield json.dumps(learner.model_dump()).encode("ascii") + b"\n"


def write_class_list(path: Path, learners: Sequence[Learner], recorded: Collection[str]) -> list[str]:
    """Write who is in the class, and after them whoever has a record of an earlier run all the same: their names.

    recorded: the names of all who have a record. Raises OSError, ClassListError when an earlier list is damaged.
    """
    listed = {learner.name for learner in learners}
    gone = [name for name in recorded if name not in listed]
    before = {each.name: each for each in read_learners(path)} if gone and path.exists() else {}
    known = [each.model_copy(update={"handed_in": each.handed_in or each.name in recorded}) for each in learners]
    left = [before.get(name, Learner(name=name, shown=name)) for name in gone]
    write_file(path, as_lines([*known, *left]), synced=True)
    return gone


def read_learners(path: Path) -> Iterator[Learner]:
    """The learners in a class list, in class order. Raises ClassListError for a line that is none."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield Learner.model_validate_json(line)
            except ValidationError:
                raise ClassListError(f"Line {number} of {path} is not a learner of a class.") from None
