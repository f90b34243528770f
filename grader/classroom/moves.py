"""Whose points differ between two gradings, or two runs of one, and why. Nothing is graded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.render.safe_text import safe_line
from grader.render.wording import counted, score

from .grading_terms import differences
from .results import ClassResults
from .store import Run, reading

COURSE = "the course"
SEED = "the seed"
ISOLATION = "the isolation"
FILE = "what was handed in"
POLICY = "the policy, the roster or what is set by hand"
CHOSEN = "the exercises that were chosen, or that the course has"
UNKNOWN = "nothing that is recorded"
STAYS = "what counts stays, by the policy or as it is set by hand"


@dataclass(frozen=True)
class ExerciseStanding:
    """A learner's points for one exercise, and what they depend on; None if it could not be graded."""

    points: float | None
    counted: float | None
    kit: str
    digest: str
    run: Run


Standings = Mapping[str, Mapping[str, ExerciseStanding]]
"""By learner and exercise."""


@dataclass(frozen=True)
class Move:
    """A learner's counted points for one exercise, before and after; None where it was not graded."""

    learner: str
    exercise: str
    old: float | None
    new: float | None
    reason: str

    def __str__(self) -> str:
        old, new = ("none" if points is None else score(points) for points in (self.old, self.new))
        return f"{safe_line(self.learner)}  {safe_line(self.exercise)}  {old} -> {new}  ({self.reason})"


def standings(results: ClassResults) -> Standings:
    """Everybody's points for every exercise."""
    found: dict[str, dict[str, ExerciseStanding]] = {}
    for result in results:
        rows = {row.result.id: row for row in results.store.rows(result.learner.id, results.run)}
        theirs = found[result.learner.id] = {}
        for each in result.record.exercises:
            row, is_error = rows[each.id], each.status == "error"
            theirs[each.id] = ExerciseStanding(
                None if is_error else each.points,
                None if is_error else each.counted_points,
                row.kit,
                row.digest,
                results.runs[row.run],
            )
    return found


def moves_between(before: Standings, after: Standings) -> list[Move]:
    """The points that differ, of the learners who are in both."""
    return [
        move
        for learner in before
        if learner in after
        for id in dict.fromkeys([*before[learner], *after[learner]])
        if (move := _move(learner, id, before[learner].get(id), after[learner].get(id)))
    ]


def _move(learner: str, id: str, old: ExerciseStanding | None, new: ExerciseStanding | None) -> Move | None:
    if old is None or new is None:
        return Move(learner, id, old.counted if old else None, new.counted if new else None, CHOSEN)
    if old.points != new.points:
        reason = " and ".join(_causes(old, new)) or UNKNOWN
        reason += f"; {STAYS}" if old.counted == new.counted else ""
        return Move(learner, id, old.counted, new.counted, reason)
    return Move(learner, id, old.counted, new.counted, POLICY) if old.counted != new.counted else None


def _causes(old: ExerciseStanding, new: ExerciseStanding) -> Iterator[str]:
    """What differs, in words."""
    told = {
        COURSE: old.kit != new.kit,
        SEED: old.run.seed != new.run.seed,
        FILE: old.digest != new.digest,
        ISOLATION: old.run.level != new.run.level,
    }
    yield from (cause for cause, is_so in told.items() if is_so)
    before, after = old.run.versions, new.run.versions
    yield from (f"the version of {name}" for name in sorted(before) if before[name] != after.get(name, before[name]))


def told(moves: Sequence[Move], most: int) -> Iterator[str]:
    """The first of these, a line each, and how many more there are."""
    yield from (f"  {move}" for move in islice(moves, most))
    if (more := len(moves) - most) > 0:
        yield f"  and {more} more"


def compared(one: Path, other: Path | None, course: Course) -> Iterator[str]:
    """Yield lines on the differences of two graded classes; of one class, between its last run and the one before.

    Raises KataError when one cannot be read, or there is only one run.
    """
    with ExitStack() as stack:
        after = ClassResults(stack.enter_context(reading(other or one)), course)
        runs = list(after.runs.values())
        if other is None and len(runs) == 1:
            raise KataError(
                f"{one} holds one run: there is nothing to compare it with. Another folder: kata diff {one} OTHER"
            )
        store = stack.enter_context(reading(one))
        before = ClassResults(store, course, runs[-2] if other is None else None)
        names = [str(one), str(other)] if other else ["the run before", "the last run"]
        yield from _differences(before, after, names)


def _differences(before: ClassResults, after: ClassResults, names: list[str]) -> Iterator[str]:
    changes = differences(before.run, after.run)
    yield f"On other terms: {'; '.join(changes)}." if changes else "On the same terms."
    old, new = standings(before), standings(after)
    for name, mine, theirs in zip(names, (old, new), (new, old), strict=True):
        if alone := [learner for learner in mine if learner not in theirs]:
            yield f"Only in {name}: {', '.join(map(safe_line, alone))}."
    moves = moves_between(old, new)
    yield from told(moves, len(moves))
    moved, both = len({move.learner for move in moves}), len(old.keys() & new.keys())
    yield f"{counted(len(moves), 'difference')}, of {moved} of {counted(both, 'learner')} in both."
