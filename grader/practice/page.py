"""Collects the data of a learner's own page: progress file, fresh results, next exercise, due reviews."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime, timezone

from grader.course import Course, Exercise
from grader.played import Played
from grader.record import CourseStamp, ExerciseResult
from grader.render.learner_page import AttemptView, Hint, LearnerView, State, Task, UnitWork

from .checking import Checked
from .glance import missing, next_exercise, state_of
from .progress import AttemptEntry, ExerciseProgress, HintEntry, Progress
from .review import coming_back, local_date
from .workspace import Workspace

NOTHING_PLAYED: Mapping[str, Played] = {}


def learner_of(
    workspace: Workspace,
    progress: Progress,
    at: datetime,
    checked: Checked | None = None,
    played: Mapping[str, Played] = NOTHING_PLAYED,
) -> LearnerView:
    """The data of the page at a time; `checked` has the results of the started exercises."""
    course = workspace.course
    results = {result.id: result for result in checked.record.exercises} if checked else {}
    due = {each.exercise.id: local_date(each.due) for each in coming_back(course, progress, at)}
    coming = next_exercise(course, progress)

    def task(exercise: Exercise) -> Task:
        done = progress.exercises.get(exercise.id, ExerciseProgress())
        return _task(workspace, exercise, done, results.get(exercise.id), due.get(exercise.id), progress)

    return LearnerView(
        course=CourseStamp(title=course.title, version=course.version),
        at=at.astimezone(),
        units=tuple(
            UnitWork(unit.title, workspace.shown(workspace.lesson_of(unit)), tuple(map(task, unit.exercises)))
            for unit in course.units
        ),
        coming=coming.id if coming else None,
        mismatches=checked.mismatches if checked else {},
        shows_part=course.shows_part,
        played=played,
    )


def _task(
    workspace: Workspace,
    exercise: Exercise,
    done: ExerciseProgress,
    result: ExerciseResult | None,
    due_on: date | None,
    progress: Progress,
) -> Task:
    titles = {check.name: check.title for check in result.checks} if result else {}
    return Task(
        id=exercise.id,
        title=exercise.title,
        file=workspace.shown(workspace.file_of(exercise)),
        state=_state(exercise, progress),
        points=_within(done.best, exercise.points),
        max_points=exercise.points,
        after=tuple(_title(workspace.course, id) for id in missing(progress, exercise)),
        result=result,
        passed_on=_local(done.passed_at).date() if done.passed_at else None,
        due_on=due_on,
        attempts=tuple(_attempt(entry, exercise, titles) for entry in done.attempts),
        hints=tuple(_hint(entry, exercise, done) for entry in done.hints),
    )


def _state(exercise: Exercise, progress: Progress) -> State:
    states: dict[str, State] = {
        "passed": "passed",
        "partly": "partly",
        "tried": "tried",
        "skipped": "skipped",
        "shut": "later",
    }
    return states.get(state_of(exercise, progress, None), "open")


def _title(course: Course, id: str) -> str:
    return course.exercise(id).title


def _attempt(entry: AttemptEntry, exercise: Exercise, titles: Mapping[str, str]) -> AttemptView:
    """An attempt; known mistakes are shown instead of failed checks, as they say more."""
    failed = [titles.get(name) or _in_words(name) for name in entry.failed]
    return AttemptView(
        at=_local(entry.at),
        points=_within(entry.points, exercise.points),
        max_points=exercise.points,
        is_passed=entry.status == "passed",
        is_partly=entry.status == "partly",
        is_review=entry.kind == "review",
        reasons=tuple(entry.mistakes.values()) or tuple(failed),
    )


def _in_words(check: str) -> str:
    """A check's name as words, for a check without a title at hand."""
    return check.removeprefix("test_").replace("_", " ")


def _hint(entry: HintEntry, exercise: Exercise, done: ExerciseProgress) -> Hint:
    if 1 <= entry.level <= len(exercise.hints):
        name, text = f"Hint {entry.level} of {len(exercise.hints)}", exercise.hints[entry.level - 1]
    else:
        messages = {id: message for attempt in done.attempts for id, message in attempt.mistakes.items()}
        name, text = "From an attempt", messages.get(entry.mistake, "")
    return Hint(_local(entry.at), name, text)


def _within(points: float, most: float) -> float:
    """Points limited to the possible range: the file may have been edited, or the course changed."""
    return min(max(points, 0.0), most) if math.isfinite(points) else 0.0


def _local(time: datetime) -> datetime:
    try:
        return time.astimezone()
    except (OverflowError, ValueError, OSError):  # an edited file may contain the year 1: no local time
        return time.replace(tzinfo=timezone.utc)
