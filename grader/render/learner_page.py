"""Renders a learner's own page: what is done, what is wrong and why, what comes back when. No scripts.

Also the calendar of the coming reviews.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Generic, Literal, TypeVar

from markupsafe import Markup

from grader.mismatch import Mismatches
from grader.played import Played
from grader.record import CourseStamp, ExerciseResult

from .heatmap_page import heatmap_svg
from .pages import render_page
from .played import all_at_work
from .timeline import Moment, timeline
from .wording import Mark

AHEAD = 30
"""Number of days shown, including today."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Item = TypeVar("Item")


@dataclass(frozen=True)
class Day(Generic[Item]):
    """One day of the calendar; days in the past or too far away only fill up their week."""

    date: date
    items: tuple[Item, ...]
    is_shown: bool
    is_today: bool


@dataclass(frozen=True)
class Calendar(Generic[Item]):
    """Whole weeks from Monday to Sunday, and what comes after them."""

    today: date
    weeks: tuple[tuple[Day[Item], ...], ...]
    later: tuple[tuple[date, Item], ...]

    @property
    def busy(self) -> tuple[Day[Item], ...]:
        """The days on which something comes back."""
        return tuple(day for week in self.weeks for day in week if day.items)

    def said(self, day: date) -> str:
        """A day in words: "today", "tomorrow", "Monday 23 November"."""
        if (near := (day - self.today).days) < 2:
            return ("today", "tomorrow")[max(near, 0)]
        return f"{WEEKDAYS[day.weekday()]} {day.day} {day:%B}"


def calendar(today: date, due: Sequence[tuple[date, Item]]) -> Calendar[Item]:
    """The calendar of these items; what was due before today is shown today."""
    by_day: dict[date, list[Item]] = {}
    last = today + timedelta(days=AHEAD - 1)
    for day, item in due:
        by_day.setdefault(max(day, today), []).append(item)
    start = today - timedelta(days=today.weekday())
    count = -(-((last - start).days + 1) // 7)
    weeks = tuple(
        tuple(_day(start + timedelta(days=7 * week + weekday), today, last, by_day) for weekday in range(7))
        for week in range(count)
    )
    later = tuple((day, item) for day, item in due if day > last)
    return Calendar(today, weeks, tuple(sorted(later, key=lambda pair: pair[0])))


def _day(day: date, today: date, last: date, by_day: Mapping[date, Sequence[Item]]) -> Day[Item]:
    is_shown = today <= day <= last
    return Day(day, tuple(by_day.get(day, ())) if is_shown else (), is_shown, day == today)


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


def render_learner(learner: LearnerView) -> str:
    """The page; equal learners give the same bytes."""
    tasks = learner.tasks
    whole = UnitWork("", "", tasks)
    # Numbers, not ids, so that no text of a course or a learner ends up in an address.
    anchors = {task.id: f"exercise-{number}" for number, task in enumerate(tasks, 1)}
    due = sorted(((task.due_on, task) for task in tasks if task.due_on), key=lambda pair: pair[0])
    return render_page(
        "learner.html.j2",
        learner=learner,
        whole=whole,
        coming=next(((unit, task) for unit in learner.units for task in unit.tasks if task.id == learner.coming), None),
        anchors=anchors,
        at_work=all_at_work(learner.played, anchors),
        heatmaps=_heatmaps(learner),
        calendar=calendar(learner.at.date(), due),
        timeline=timeline(_moments(tasks), whole.max_points, learner.at),
        hints=sum(len(task.hints) for task in tasks),
        states=STATES,
        legend=[state for state in STATES if state != "partly" or whole.partly],
        weekdays=WEEKDAYS,
        asks=any(task.result and task.result.status == "failed" for task in tasks),
        most_attempts=MOST_ATTEMPTS,
        most_reasons=MOST_REASONS,
    )


def _heatmaps(learner: LearnerView) -> dict[str, dict[str, Markup]]:
    """Pictures by exercise and check, only for visible checks that failed."""
    return {
        task.id: {
            check.name: heatmap_svg(mismatch, f"{task.id} {check.name}")
            for check in (task.result.checks if task.result else ())
            if check.visible
            and check.outcome == "failed"
            and (mismatch := learner.mismatches.get((task.id, check.name)))
        }
        for task in learner.tasks
    }


def _moments(tasks: Sequence[Task]) -> list[Moment]:
    return [
        Moment(attempt.at, task.id, task.title, attempt.points, attempt.is_passed, attempt.is_review)
        for task in tasks
        for attempt in task.attempts
        if not attempt.is_partly
    ]
