"""How far a learner is: the state of each exercise, which one is next, and which passed file does not pass any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from grader.course import Course, Exercise
from grader.course.stubs import same_as_stub, stub_of
from grader.render.wording import Mark

from .progress import ExerciseProgress, Progress, digest_of
from .workspace import Workspace

State = Literal["passed", "partly", "tried", "skipped", "open", "later"]

STATES: Mapping[State, Mark] = {
    "passed": Mark("passed", "✓", "+"),
    "partly": Mark("in part", "~", "~"),
    "tried": Mark("tried", "✗", "x"),
    "skipped": Mark("skipped", "»", ">"),
    "open": Mark("open", "○", "o"),
    "later": Mark("later", "·", "."),
}


def missing(progress: Progress, exercise: Exercise) -> list[str]:
    """The required exercises of this one that are not passed."""
    return [id for id in exercise.requires if not is_settled(progress, id)]


def is_settled(progress: Progress, id: str) -> bool:
    """Whether an exercise is passed or skipped, or passes every check that can run here."""
    done = progress.exercises.get(id)
    return done is not None and (done.is_passed or done.skipped or done.holds_so_far)


def next_exercise(course: Course, progress: Progress, *, fast: bool = False) -> Exercise | None:
    """The first open exercise, in course order, that is neither passed nor skipped; None when all are done.

    fast: only exercises of the fast track count, and their requirements may be missing.
    """
    waiting = [each for each in course.exercises if not is_settled(progress, each.id)]
    if fast:
        return next((each for each in waiting if each.fast_track), None)
    return next((each for each in waiting if not missing(progress, each)), None)


def state_of(exercise: Exercise, progress: Progress) -> State:
    """The exercise's state."""
    done = progress.exercises.get(exercise.id, ExerciseProgress())
    if done.is_passed:
        return "passed"
    if done.holds_so_far:
        return "partly"
    if done.attempts:
        return "tried"
    if done.skipped:
        return "skipped"
    return "later" if missing(progress, exercise) else "open"


def remarks(workspace: Workspace, progress: Progress) -> dict[str, str]:
    """Why the file of a passed exercise does not pass any more, by id. The exercise stays passed all the same."""
    passed = [each for each in workspace.course.exercises if progress.is_passed(each.id)]
    found = {each.id: _since_passed(workspace, each, progress.of(each.id)) for each in passed}
    return {id: remark for id, remark in found.items() if remark}


def _since_passed(workspace: Workspace, exercise: Exercise, done: ExerciseProgress) -> str:
    """What happened to the file since the exercise was passed; "" if it still passes or was passed elsewhere."""
    practised = [attempt for attempt in done.attempts if attempt.kind == "practice" and not attempt.elsewhere]
    if not any(attempt.status == "passed" for attempt in practised):
        return ""
    try:
        content = workspace.file_of(exercise).read_bytes()
    except OSError:
        return f"its file is gone: kata reset {exercise.id} gives a new one"
    digest = digest_of(content)
    last = next((attempt.status for attempt in reversed(done.attempts) if attempt.digest == digest), None)
    if last is not None:
        return "" if last == "passed" else f"its file fails now: kata check {exercise.id}"
    if same_as_stub(content, stub_of(workspace.course, exercise)):
        return "its file is as it was given again"
    return f"its file has changed since: kata check {exercise.id}"
