"""Renders a learner's own page: what is done, what is wrong and why, what comes back when. No scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Literal

from grader.mismatch import Mismatches
from grader.played import Played
from grader.record import CourseStamp, ExerciseResult

from .at_work import all_at_work
from .heatmap import HeatMap
from .heatmap_svg import heatmap_svg
from .pages import render_page
from .timeline import Moment, timeline
from .verdict import verdict_on
from .wording import Mark

AHEAD = 30
"""Number of days whose reviews are listed, including today."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


State = Literal["passed", "partly", "tried", "skipped", "open", "later"]

STATES: Mapping[State, Mark] = {
    "passed": Mark("passed", "✓", "+"),
    "partly": Mark("in part", "~", "~"),
    "tried": Mark("not yet", "✗", "x"),
    "skipped": Mark("skipped", "»", ">"),
    "open": Mark("open", "○", "o"),
    "later": Mark("later", "·", "."),
}

MOST_ATTEMPTS = 30
"""Limit for the attempts listed for one exercise: the latest ones."""

MOST_REASONS = 2


@dataclass(frozen=True)
class AttemptView:
    """One graded attempt, in local time; `reasons` say what was wrong."""

    at: datetime
    points: float
    max_points: float
    is_passed: bool
    is_review: bool = False
    is_partly: bool = False
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hint:
    """A hint that was shown; `name` says which."""

    at: datetime
    name: str
    text: str


@dataclass(frozen=True)
class Task:
    """The state of one exercise; `result` is the verdict on the current file, None if it is not begun."""

    id: str
    title: str
    file: str
    state: State
    points: float
    max_points: float
    after: tuple[str, ...] = ()
    result: ExerciseResult | None = None
    passed_on: date | None = None
    due_on: date | None = None
    attempts: tuple[AttemptView, ...] = ()
    hints: tuple[Hint, ...] = ()


@dataclass(frozen=True)
class UnitWork:
    """One unit's exercises, with the sums of their points."""

    title: str
    lesson: str
    tasks: tuple[Task, ...]

    @property
    def points(self) -> float:
        """Points earned in the unit."""
        return sum(task.points for task in self.tasks)

    @property
    def max_points(self) -> float:
        """Points that the unit is worth."""
        return sum(task.max_points for task in self.tasks)

    @property
    def passed(self) -> int:
        """How many of its exercises are passed."""
        return sum(task.state == "passed" for task in self.tasks)

    @property
    def partly(self) -> int:
        """How many exercises passed all checks that could run, while others run only at hand-in."""
        return sum(task.state == "partly" for task in self.tasks)


@dataclass(frozen=True)
class LearnerView:
    """Everything that the page shows; `at` is the local time of its making, `coming` the id of the next task.

    `shows_part`: some checks are not there, so nothing is passed and there are no points. `played`: what was seen of
    exercises at work, by id.
    """

    course: CourseStamp
    at: datetime
    units: tuple[UnitWork, ...]
    coming: str | None
    mismatches: Mismatches
    shows_part: bool = False
    played: Mapping[str, Played] = field(default_factory=dict)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All exercises in course order."""
        return tuple(task for unit in self.units for task in unit.tasks)


@dataclass(frozen=True)
class Agenda:
    """What comes back: by day, with what is overdue today; and what comes later, first the date."""

    today: date
    days: tuple[tuple[date, tuple[Task, ...]], ...]
    later: tuple[tuple[date, Task], ...]

    @classmethod
    def of(cls, tasks: Sequence[Task], today: date) -> Agenda:
        """The agenda of the coming days."""
        due = sorted(((max(task.due_on, today), task) for task in tasks if task.due_on), key=lambda pair: pair[0])
        last = today + timedelta(days=AHEAD - 1)
        near = [pair for pair in due if pair[0] <= last]
        days = tuple((day, tuple(task for _, task in pairs)) for day, pairs in groupby(near, key=lambda pair: pair[0]))
        return cls(today, days, tuple(due[len(near) :]))

    def said(self, day: date) -> str:
        """A day in words: "today", "tomorrow", "Monday 23 November"."""
        if (near := (day - self.today).days) < 2:
            return ("today", "tomorrow")[max(near, 0)]
        return f"{WEEKDAYS[day.weekday()]} {day.day} {day:%B}"


def render_learner(learner: LearnerView) -> str:
    """The page; equal learners give the same bytes."""
    tasks = learner.tasks
    whole = UnitWork("", "", tasks)
    # Numbers, not ids, so that no text of a course or a learner ends up in an address.
    anchors = {task.id: f"exercise-{number}" for number, task in enumerate(tasks, 1)}
    moments = [
        Moment(attempt.at, task.id, attempt.points, attempt.is_passed, attempt.is_review)
        for task in tasks
        for attempt in task.attempts
        if not attempt.is_partly
    ]
    return render_page(
        "learner.html.j2",
        learner=learner,
        whole=whole,
        coming=next(((unit, task) for unit in learner.units for task in unit.tasks if task.id == learner.coming), None),
        anchors=anchors,
        at_work=all_at_work(learner.played, anchors),
        verdicts={
            task.id: verdict_on(task.result, title=task.title, mismatches=learner.mismatches)
            for task in tasks
            if task.result
        },
        heatmap=lambda mismatch, place: heatmap_svg(HeatMap.of_mismatch(mismatch), place),
        agenda=Agenda.of(tasks, learner.at.date()),
        timeline=timeline(moments, whole.max_points, learner.at),
        hints=sum(len(task.hints) for task in tasks),
        states=STATES,
        legend=[state for state in STATES if state != "partly" or whole.partly],
        asks=any(task.result and task.result.status == "failed" for task in tasks),
        most_attempts=MOST_ATTEMPTS,
        most_reasons=MOST_REASONS,
    )
