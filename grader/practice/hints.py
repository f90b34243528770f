"""Which hint a learner gets now: the first is free, each further one opens after another failed attempt."""

from __future__ import annotations

from dataclasses import dataclass

from grader.course import Course, Exercise
from grader.policy.adjusting import points

from .progress import ExerciseProgress, HintEntry, now


@dataclass(frozen=True)
class HintGiven:
    """A hint: its text, and its level out of how many (0 for a message of a diagnosis)."""

    text: str
    level: int
    of: int


@dataclass(frozen=True)
class HintsShut:
    """No new hint now: another attempt must come first, or there is none left."""

    given: tuple[str, ...]
    is_last: bool


def next_hint(exercise: Exercise, done: ExerciseProgress) -> HintGiven | HintsShut:
    """The next hint; it is recorded in `done`.

    The message of a known mistake in the last attempt comes first, if it was not shown yet; it uses up no level. A
    review starts again at level 1; hints taken there affect when the exercise comes back.
    """
    diagnosed = done.attempts[-1].mistakes if done.attempts else {}
    seen = {entry.mistake for entry in done.hints if entry.mistake}
    for mistake, message in diagnosed.items():
        if mistake not in seen:
            _note(done, HintEntry(at=now(), mistake=mistake, attempts=len(done.attempts)))
            return HintGiven(message, 0, len(exercise.hints))
    before = done.open_review.hints if done.open_review else 0
    levels = [entry for entry in done.hints[before:] if entry.level]
    if len(levels) >= len(exercise.hints):
        return HintsShut(exercise.hints, True)
    if levels and not done.is_passed and not _tried_since(done, levels[-1]):
        return HintsShut(exercise.hints[: len(levels)], False)
    level = len(levels) + 1
    _note(done, HintEntry(at=now(), level=level, attempts=len(done.attempts)))
    return HintGiven(exercise.hints[level - 1], level, len(exercise.hints))


def what_hints_cost(course: Course, given: HintGiven | HintsShut, done: ExerciseProgress) -> str:
    """A sentence on what hints cost, shown with this hint; empty where hints cost nothing.

    Hints in a review and messages of a diagnosis are always free.
    """
    cost = course.policy.hints_cost_points
    is_over = given.is_last if isinstance(given, HintsShut) else not given.level
    if not cost or is_over or done.reviews:
        return ""
    each = points(f"{cost:g}")
    return f"The first hint of an exercise is free. Your instructor may take off {each} for each further one."


def _tried_since(done: ExerciseProgress, hint: HintEntry) -> bool:
    return any(attempt.status == "failed" for attempt in done.attempts[hint.attempts :])


def _note(done: ExerciseProgress, entry: HintEntry) -> None:
    done.hints = [*done.hints, entry]
