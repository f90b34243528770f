"""The way through the course: what is open, and what comes next."""

from __future__ import annotations

from grader.course import Course, Exercise

from .progress import Progress


def missing(progress: Progress, exercise: Exercise) -> list[str]:
    """The exercises that should be passed before this one and are not."""
    return [id for id in exercise.requires if not is_settled(progress, id)]


def is_settled(progress: Progress, id: str) -> bool:
    """Whether an exercise is passed or was skipped, or all of it holds that can be checked here."""
    done = progress.exercises.get(id)
    return done is not None and (done.is_passed or done.skipped or done.holds_so_far > 0)


def next_exercise(course: Course, progress: Progress, *, fast: bool = False) -> Exercise | None:
    """The first exercise in course order that is open and neither passed nor skipped; None when all is done.

    With `fast` only the exercises of the fast track count, and what they require may be missing.
    """
    if fast:
        track = [each for each in course.exercises if each.fast_track]
        return next((each for each in track if not is_settled(progress, each.id)), None)
    waiting = [each for each in course.exercises if not is_settled(progress, each.id)]
    return next((each for each in waiting if not missing(progress, each)), None)
