"""Which hint a learner gets now: the first is free, each further one opens after another failed attempt."""

from __future__ import annotations

from grader.course import Exercise

from .progress import ExerciseProgress, HintEntry, ProgressFile, now
from .workspace import Workspace


def open_hint(workspace: Workspace, exercise: Exercise) -> list[str]:
    """The next hint, noted in the progress file. Raises OSError."""
    with ProgressFile(workspace.state).change() as known:
        return next_hint(exercise, known.of(exercise.id))


def next_hint(exercise: Exercise, done: ExerciseProgress) -> list[str]:
    """The next hint in sentences, recorded in `done`; the hints so far where no further one is open.

    The message of a known mistake in the last attempt comes first, if it was not shown yet; it uses up no level. A
    review starts again at level 1; hints taken there affect when the exercise comes back.
    """
    diagnosed = done.attempts[-1].mistakes if done.attempts else {}
    seen = {entry.mistake for entry in done.hints if entry.mistake}
    for mistake, message in diagnosed.items():
        if mistake not in seen:
            done.hints.append(HintEntry(at=now(), mistake=mistake, attempts=len(done.attempts)))
            return [f"From your last attempt: {message}"]
    texts = [f"Hint {level} of {len(exercise.hints)}: {text}" for level, text in enumerate(exercise.hints, start=1)]
    before = done.open_review.hints if done.open_review else 0
    opened = [entry for entry in done.hints[before:] if entry.level]
    if len(opened) >= len(texts):
        return [*texts, "These are all the hints there are."]
    if opened and not done.is_passed and not _tried_since(done, opened[-1]):
        return [*texts[: len(opened)], f"The next hint opens after another attempt: kata check {exercise.id}"]
    done.hints.append(HintEntry(at=now(), level=len(opened) + 1, attempts=len(done.attempts)))
    return [texts[len(opened)]]


def _tried_since(done: ExerciseProgress, hint: HintEntry) -> bool:
    return any(attempt.status == "failed" for attempt in done.attempts[hint.attempts :])
