"""A learner's own page: what is done, what is wrong and why, what comes back when. No scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any

from grader.course import Exercise
from grader.played import NOTHING_PLAYED, Played
from grader.record import ExerciseResult
from grader.render.pages import at_work, render_page
from grader.render.verdict import NO_MISMATCHES, verdict_on
from grader.render.wording import MARKS

from .checking import Checked
from .overview import STATES, missing, next_exercise, state_of
from .progress import AttemptEntry, ExerciseProgress, HintEntry, Progress
from .review import coming_back, local_date, when
from .workspace import Workspace

MOST_ATTEMPTS = 30
"""Limit for the attempts listed for one exercise: the latest ones."""
MOST_REASONS = 2
ON_PAGE = {**STATES, "tried": replace(STATES["tried"], word="not yet")}


def render_learner(
    workspace: Workspace,
    progress: Progress,
    at: datetime,
    checked: Checked | None = None,
    played: Mapping[str, Played] = NOTHING_PLAYED,
) -> str:
    """The page at a time; the same bytes for equal progress.

    checked: the results of the started exercises. played: what was seen of exercises at work, by id.
    """
    course = workspace.course
    results = {result.id: result for result in checked.record.exercises} if checked else {}
    mismatches = checked.mismatches if checked else NO_MISMATCHES
    returning = coming_back(course, progress, at)
    comes_back = {each.exercise.id: when(each.due, at) for each in returning}

    def task(exercise: Exercise) -> dict[str, Any]:
        """One exercise and how far the learner is with it, in local time."""
        done = progress.exercises.get(exercise.id, ExerciseProgress())
        result = results.get(exercise.id)
        return {
            "exercise": exercise,
            "file": workspace.shown(workspace.file_of(exercise)),
            "state": state_of(exercise, progress),
            "points": min(done.best, exercise.points),
            "max_points": exercise.points,
            "after": [course.exercise(id).title for id in missing(progress, exercise)],
            "verdict": verdict_on(result, title=exercise.title, mismatches=mismatches) if result else None,
            "passed_on": local_date(done.passed_at) if done.passed_at else None,
            "comes_back": comes_back.get(exercise.id, ""),
            "attempts": [entry.model_copy(update={"at": entry.at.astimezone()}) for entry in done.attempts],
            "hints": [_hint(entry, exercise, done) for entry in done.hints],
        }

    units = [(unit, [task(exercise) for exercise in unit.exercises]) for unit in course.units]
    tasks = [each for _, members in units for each in members]
    # Numbers, not ids, so that no text of a course or a learner ends up in an address.
    anchors = {each["exercise"].id: f"exercise-{number}" for number, each in enumerate(tasks, 1)}
    return render_page(
        "learner.html.j2",
        course=course,
        at=at.astimezone(),
        units=units,
        tasks=tasks,
        coming=next_exercise(course, progress),
        lesson_of=lambda unit: workspace.shown(workspace.lesson_of(unit)),
        anchors=anchors,
        at_work=at_work(played, anchors),
        agenda=[(said, list(group)) for said, group in groupby(returning, lambda each: comes_back[each.exercise.id])],
        reasons_of=lambda attempt, exercise: _reasons(attempt, results.get(exercise.id)),
        states=ON_PAGE,
        marks={**MARKS, **ON_PAGE},
        most_attempts=MOST_ATTEMPTS,
        most_reasons=MOST_REASONS,
    )


def _reasons(attempt: AttemptEntry, result: ExerciseResult | None) -> list[str]:
    """What was off: the known mistakes, which say more than the failed checks; a check without a title as words."""
    titles = {check.name: check.title for check in result.checks} if result else {}
    failed = [titles.get(name) or name.removeprefix("test_").replace("_", " ") for name in attempt.failed]
    return list(attempt.mistakes.values()) or failed


def _hint(entry: HintEntry, exercise: Exercise, done: ExerciseProgress) -> tuple[datetime, str, str]:
    """When a hint was shown, its name and its text."""
    at = entry.at.astimezone()
    if 1 <= entry.level <= len(exercise.hints):
        return at, f"Hint {entry.level} of {len(exercise.hints)}", exercise.hints[entry.level - 1]
    messages = {id: message for attempt in done.attempts for id, message in attempt.mistakes.items()}
    return at, "From an attempt", messages.get(entry.mistake, "")
