"""May it be played? What is known of the learner's file, without looking into it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from grader.course import Exercise
from grader.practice.progress import Progress
from grader.practice.workspace import Workspace, content_of
from grader.stubs import same_as_stub, stub_of

from .catalogue import Play

DIGITS = 12
"""So many of a digest are kept with an attempt."""


@dataclass(frozen=True)
class Standing:
    """How an exercise stands that can be played: a sentence, and whether it is a warning."""

    said: str
    is_warning: bool


class NotYet(Exception):
    """It cannot be played yet; the text is one sentence that says what comes first."""


def standing_of(workspace: Workspace, progress: Progress, exercise: Exercise) -> Standing:
    """How the learner's file stands, passed or not. Raises NotYet for one that was never checked."""
    content = content_of(workspace.file_of(exercise))
    if content is None or same_as_stub(content, stub_of(workspace.course, exercise)):
        raise NotYet(f"{exercise.id} is not written yet: its file is {workspace.shown(workspace.file_of(exercise))}.")
    known = progress.exercises.get(exercise.id)
    last = known.attempts[-1] if known and known.attempts else None
    if last is None:
        raise NotYet(f"{exercise.id} was not checked yet. First: kata check {exercise.id}")
    if last.digest != hashlib.sha256(content).hexdigest()[:DIGITS]:
        return Standing(f"Your file has changed since it was checked last: kata check {exercise.id}", True)
    if last.status == "failed":
        return Standing("Your last check did not pass. This is what your code does, right or wrong.", True)
    if last.status == "partly":
        return Standing("Your code holds as far as it can be checked here.", False)
    return Standing("Your code passed its check.", False)


def waits_for(workspace: Workspace, progress: Progress, play: Play) -> str:
    """What must come first, in a few words; empty when it can be played."""
    exercise = workspace.course.exercise(play.id)
    try:
        standing = standing_of(workspace, progress, exercise)
    except NotYet:
        return f"first pass it: kata check {play.id}"
    return f"not passed as it is: kata check {play.id}" if standing.is_warning else ""
