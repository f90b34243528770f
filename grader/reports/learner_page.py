"""A learner's own page: what is done, what is wrong and why, what comes back when. It runs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from markupsafe import Markup

from grader.exhibits import Exhibits
from grader.reports.heatmap_page import heatmap_svg
from grader.reports.pages import render_page
from grader.reports.review_calendar import WEEKDAYS, calendar
from grader.reports.timeline import Moment, timeline
from grader.reports.wording import Mark
from grader.results import CourseStamp, ExerciseResult

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
"""Attempts at one exercise that are told one by one; of more, the latest."""

MOST_REASONS = 2


@dataclass(frozen=True)
class Attempt:
    """One graded go, in local time; `reasons` say what was off."""

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
    """One exercise as it stands; `result` is the verdict on the file as it is now, None for one that is not begun."""

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
    attempts: tuple[Attempt, ...] = ()
    hints: tuple[Hint, ...] = ()


@dataclass(frozen=True)
class UnitWork:
    """One unit's exercises, with the sums of what they brought."""

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
        """Of how many all held that could be checked, while other checks are still to run."""
        return sum(task.state == "partly" for task in self.tasks)


@dataclass(frozen=True)
class Learner:
    """Everything that the page shows; `at` is the local time at which it is made, `coming` the id of the next task.

    `shows_part`: some checks are not there, so nothing is passed and there are no points.
    """

    course: CourseStamp
    at: datetime
    units: tuple[UnitWork, ...]
    coming: str | None
    exhibits: Exhibits
    shows_part: bool = False

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All exercises in course order."""
        return tuple(task for unit in self.units for task in unit.tasks)


def render_learner(learner: Learner) -> str:
    """The page, the same bytes for equal learners."""
    tasks = learner.tasks
    whole = UnitWork("", "", tasks)
    due = sorted(((task.due_on, task) for task in tasks if task.due_on), key=lambda pair: pair[0])
    return render_page(
        "learner.html.j2",
        learner=learner,
        whole=whole,
        coming=next(((unit, task) for unit in learner.units for task in unit.tasks if task.id == learner.coming), None),
        # Numbers, not ids, so that no text of a course or a learner ends up in an address.
        anchors={task.id: f"exercise-{number}" for number, task in enumerate(tasks, 1)},
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


def _heatmaps(learner: Learner) -> dict[str, dict[str, Markup]]:
    """Pictures by exercise and check: of visible checks that failed, whatever else there may be."""
    return {
        task.id: {
            check.name: heatmap_svg(exhibit, f"{task.id} {check.name}")
            for check in (task.result.checks if task.result else ())
            if check.visible and check.outcome == "failed" and (exhibit := learner.exhibits.get((task.id, check.name)))
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
