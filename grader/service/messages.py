"""What goes between a command and the judge that is kept warm: JSON, as bytes; nothing is pickled."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from grader.exhibits import Exhibit
from grader.submission import Problem, SourceFile, Submission

What = Literal["grade", "checks", "end"]
"""Grade a submission; name the checks; end."""


@dataclass(frozen=True)
class Request:
    """What a command asks. `only` names the exercises: none for all.

    tries_references: nothing is graded before the references have got full marks with this seed.
    """

    what: What
    seed: int = 0
    only: tuple[str, ...] = ()
    submission: Submission | None = None
    tries_references: bool = False

    def to_bytes(self) -> bytes:
        """As it is sent."""
        told: dict[str, Any] = {"what": self.what, "seed": self.seed, "only": list(self.only)}
        told["tries"] = self.tries_references
        if self.submission is not None:
            told["submission"] = _submission_told(self.submission)
        return _told(told)

    @classmethod
    def read(cls, message: bytes) -> Request:
        """A request as it came."""
        told = json.loads(message)
        submission = _submission_read(told["submission"]) if "submission" in told else None
        return cls(told["what"], told["seed"], tuple(told["only"]), submission, told["tries"])


@dataclass(frozen=True)
class Reply:
    """A part of an answer; `kind` says which, and whether it is the last one. "waiting": others were first."""

    kind: Literal["waiting", "begun", "advance", "exhibit", "record", "checks", "done", "machine", "broken", "stale"]
    value: Any = None

    @property
    def is_last(self) -> bool:
        """Whether nothing more comes."""
        return self.kind not in ("waiting", "begun", "advance", "exhibit")

    def to_bytes(self) -> bytes:
        """As it is sent."""
        return _told({"kind": self.kind, "value": self.value})

    @classmethod
    def read(cls, message: bytes) -> Reply:
        """A reply as it came."""
        told = json.loads(message)
        return cls(told["kind"], told["value"])


def exhibit_told(exercise: str, check: str, exhibit: Exhibit) -> list[Any]:
    """What there is to see of a check, as a value of a reply."""
    planes = (exhibit.came, exhibit.due, exhibit.wrong)
    return [exercise, check, exhibit.what, exhibit.axes, *planes, exhibit.note, exhibit.start]


def exhibit_read(told: Sequence[Any]) -> tuple[str, str, Exhibit]:
    """The names of exercise and check, and the exhibit."""
    exercise, check, what, axes, came, due, wrong, note, start = told
    planes: Mapping[str, Any] = {"came": _plane(came), "due": _plane(due), "wrong": _plane(wrong)}
    return exercise, check, Exhibit(what=what, axes=tuple(axes), note=note, start=(start[0], start[1]), **planes)


def _plane(rows: Sequence[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, rows))


def _submission_told(submission: Submission) -> dict[str, Any]:
    return {
        "name": submission.name,
        "sources": [
            [each.exercise, each.name, base64.b64encode(each.content).decode("ascii")]
            for each in submission.sources.values()
        ],
        "problems": [[each.file, each.kind, each.message, each.exercise] for each in submission.problems],
    }


def _submission_read(told: Mapping[str, Any]) -> Submission:
    sources = [SourceFile(id, name, base64.b64decode(content)) for id, name, content in told["sources"]]
    problems = tuple(Problem(*each) for each in told["problems"])
    return Submission(told["name"], {each.exercise: each for each in sources}, problems)


def _told(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")
