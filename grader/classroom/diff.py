"""Whose points differ between two runs, or two gradings, and why. Nothing is graded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.record import ExerciseResult
from grader.render.safe_text import safe_line
from grader.render.wording import counted, score

from .grading_terms import differences
from .results import ClassResults, Result
from .store import reading

STAYS = "what counts stays, by the policy or as it is set by hand"


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


def moves_between(before: ClassResults, after: ClassResults) -> Iterator[Move]:
    """The points that differ, of the learners who are in both."""
    there = {each.id: each for each in after.learners}
    for learner in before.learners:
        if learner.id in there:
            old, new = before.of(learner), after.of(there[learner.id])
            for id in dict.fromkeys([*old.rows, *new.rows]):
                yield from _move(id, old, new, [before, after])


def _move(id: str, old: Result, new: Result, classes: Sequence[ClassResults]) -> Iterator[Move]:
    one, other = (each.exercise(id) if id in each.rows else None for each in (old, new))
    was, now = (None if each is None or each.status == "error" else each.counted_points for each in (one, other))
    if one is None or other is None:
        reason = "the exercises that were chosen, or that the course has"
    elif _graded_points(one) != _graded_points(other):
        reason = " and ".join(_causes(id, old, new, classes)) or "nothing that is recorded"
        reason += f"; {STAYS}" if was == now else ""
    elif was != now:
        reason = "the policy, the roster or what is set by hand"
    else:
        return
    yield Move(old.learner.id, id, was, now, reason)


def _graded_points(exercise: ExerciseResult) -> float | None:
    return None if exercise.status == "error" else exercise.points


def _causes(id: str, old: Result, new: Result, classes: Sequence[ClassResults]) -> Iterator[str]:
    """What a result depends on and differs, in words."""
    row, other = old.rows[id], new.rows[id]
    before, after = classes[0].runs[row.run], classes[1].runs[other.run]
    depends_on = {
        "the course": (row.kit, other.kit),
        "the seed": (before.seed, after.seed),
        "what was handed in": (row.source, other.source),
        "the isolation": (before.level, after.level),
        "a fault of the grader": (row.result.status == "error", other.result.status == "error"),
    }
    names = sorted(before.versions.keys() & after.versions.keys())
    depends_on |= {f"the version of {name}": (before.versions[name], after.versions[name]) for name in names}
    yield from (cause for cause, (one, another) in depends_on.items() if one != another)


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
        names = [str(one), str(other)] if other else ["the run before", "the last run"]
        if other:
            before = ClassResults(stack.enter_context(reading(one)), course)
        elif len(after.runs) > 1:
            before = ClassResults(after.store, course, list(after.runs.values())[-2])
        else:
            raise KataError(
                f"{one} holds one run: there is nothing to compare it with. Another folder: kata diff {one} OTHER"
            )
        changes = list(differences(before.run, after.run))
        yield f"On other terms: {'; '.join(changes)}." if changes else "On the same terms."
        old, new = ([each.id for each in results.learners] for results in (before, after))
        for name, mine, theirs in zip(names, (old, new), (new, old), strict=True):
            if alone := [learner for learner in mine if learner not in theirs]:
                yield f"Only in {name}: {', '.join(map(safe_line, alone))}."
        moves = list(moves_between(before, after))
        yield from told(moves, len(moves))
        moved, both = len({move.learner for move in moves}), len(set(old) & set(new))
        yield f"{counted(len(moves), 'difference')}, of {moved} of {counted(both, 'learner')} in both."
