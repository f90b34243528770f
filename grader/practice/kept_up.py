"""Whether the file of a passed exercise still passes. The exercise stays passed, but the learner is told."""

from __future__ import annotations

from typing import Literal

from grader.course import Exercise
from grader.course.stubs import same_as_stub, stub_of

from .progress import ExerciseProgress, Progress, digest_of
from .workspace import Workspace

Since = Literal["", "gone", "given", "fails", "changed"]

SAID: dict[Since, str] = {
    "gone": "its file is gone: kata reset {id} gives a new one",
    "given": "its file is as it was given again",
    "fails": "its file fails now: kata check {id}",
    "changed": "its file has changed since: kata check {id}",
}


def since_passed(workspace: Workspace, exercise: Exercise, done: ExerciseProgress) -> Since:
    """What happened to the file since the exercise was passed; "" if it still passes or was passed elsewhere."""
    practised = [attempt for attempt in done.attempts if attempt.kind == "practice" and not attempt.elsewhere]
    if not any(attempt.status == "passed" for attempt in practised):
        return ""
    try:
        content = workspace.file_of(exercise).read_bytes()
    except OSError:
        return "gone"
    digest = digest_of(content)
    last = next((attempt.status for attempt in reversed(done.attempts) if attempt.digest == digest), None)
    if last is not None:
        return "" if last == "passed" else "fails"
    return "given" if same_as_stub(content, stub_of(workspace.course, exercise)) else "changed"


def remarks(workspace: Workspace, progress: Progress) -> dict[str, str]:
    """Remarks on passed exercises, by id."""
    course = workspace.course
    passed = [each for each in course.exercises if progress.is_passed(each.id)]
    found = {each.id: since_passed(workspace, each, progress.of(each.id)) for each in passed}
    return {id: SAID[since].format(id=id) for id, since in found.items() if since}
