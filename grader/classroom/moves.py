"""Whose points moved between two gradings of a class, and why: the course, the seed or what was handed in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.reports.formats import number_field, table, text_field
from grader.reports.safe_text import visible
from grader.results import ExerciseResult, Record
from grader.writing import write_file

from .results_file import Line, final_lines, record_at

MOVED = "moved.csv"
"""In OUT, whose points the last run moved that moved any."""

COURSE = "the course"
SEED = "the seed"
FILE = "what was handed in"
POLICY = "the policy"
UNKNOWN = "nothing that is recorded"


@dataclass(frozen=True)
class Move:
    """Points of one learner for one exercise, before and after; None where it was not graded."""

    learner: str
    exercise: str
    old: float | None
    new: float | None
    why: tuple[str, ...]

    @property
    def reason(self) -> str:
        """What changed, in words."""
        return " and ".join(self.why) or UNKNOWN


@dataclass(frozen=True)
class _Basis:
    """What one verdict rests on, each empty where it is not recorded."""

    kit: str
    seed: int
    digest: str


Kits = Mapping[str, str]
"""By exercises' ids, the number of all that each was graded by, unless a record says otherwise."""


def moves_between(old: Record, new: Record, old_kits: Kits, new_kits: Kits, others: Sequence[str] = ()) -> list[Move]:
    """Which points of one learner moved. others: what else may have moved them, such as another version of torch."""
    before = {each.id: each for each in old.exercises}
    after = {each.id: each for each in new.exercises}
    found = []
    for id in dict.fromkeys([*before, *after]):
        one, other = before.get(id), after.get(id)
        if one is None or other is None:
            found.append(Move(new.submission, id, _points(one), _points(other), ("the exercises that were chosen",)))
        elif _points(one) != _points(other):
            why = _changed(_basis(old, one, old_kits), _basis(new, other, new_kits))
            found.append(Move(new.submission, id, _points(one), _points(other), (*why, *others)))
        elif one.counted_points != other.counted_points:
            found.append(Move(new.submission, id, one.counted_points, other.counted_points, (POLICY,)))
    return found


def _points(exercise: ExerciseResult | None) -> float | None:
    return None if exercise is None or exercise.status == "error" else exercise.points


def _basis(record: Record, exercise: ExerciseResult, kits: Kits) -> _Basis:
    again = exercise.graded_again
    if again is not None:
        return _Basis(again.kit, again.seed, again.digest)
    return _Basis(kits.get(exercise.id, ""), record.seed, record.digest)


def _changed(old: _Basis, new: _Basis) -> tuple[str, ...]:
    found = []
    if old.kit and new.kit and old.kit != new.kit:
        found.append(COURSE)
    if old.seed != new.seed:
        found.append(SEED)
    if old.digest and new.digest and old.digest != new.digest:
        found.append(FILE)
    return tuple(found)


def moves_in(results: Path, old_kits: Kits, new_kits: Kits) -> list[Move]:
    """Whose points moved between the first and the last line of each learner in a file that is not finished yet.

    Raises ResultsError when it cannot be read.
    """
    first: dict[str, Line] = {}
    last: dict[str, Line] = {}
    for name, line in final_lines(results):
        first.setdefault(name, line)
        last[name] = line
    return [
        move
        for name, line in last.items()
        if first[name] != line
        for move in moves_between(record_at(results, first[name]), record_at(results, line), old_kits, new_kits)
    ]


def write_moves(out: Path, moves: Sequence[Move]) -> None:
    """Write OUT/moved.csv, whole or not at all. Raises OSError."""
    rows = [["learner", "exercise", "old", "new", "why"], *map(_row, moves)]
    write_file(out / MOVED, table(rows).encode("utf-8"), synced=True)


def _row(move: Move) -> list[str]:
    numbers = ["" if points is None else number_field(points) for points in (move.old, move.new)]
    return [text_field(visible(move.learner)), text_field(move.exercise), *numbers, move.reason]


def told_moves(moves: Sequence[Move]) -> Iterator[str]:
    """A line for each move, for people."""
    from grader.reports.safe_text import safe_line
    from grader.reports.wording import score

    for move in moves:
        old, new = ("none" if points is None else score(points) for points in (move.old, move.new))
        yield f"  {safe_line(move.learner)}  {safe_line(move.exercise)}  {old} -> {new}  ({move.reason})"
