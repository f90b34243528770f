"""Attempts over time: a chart of the points earned, and a table by day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from .wording import counted, share

Kind = Literal["passed", "failed", "review"]

HEIGHT = 150
LANE = 26
"""Height of the lane below the chart, for attempts that earned nothing new."""

TOPS = (10, 25, 50, 100)
"""Possible upper ends of the chart in percent: a beginner's first points should be visible."""

GRAIN = 1.0
"""Percent of the width within which marks of one kind are merged."""

NAMED = 3


@dataclass(frozen=True)
class Moment:
    """One graded attempt at one exercise."""

    at: datetime
    exercise: str
    title: str
    points: float
    is_passed: bool
    is_review: bool = False


@dataclass(frozen=True)
class Step:
    """A period with constant points; x and width in percent, y from the top."""

    x: float
    width: float
    y: float
    rise: float


@dataclass(frozen=True)
class Mark:
    """Attempts of one kind at one position."""

    kind: Kind
    x: float
    y: float
    said: str


@dataclass(frozen=True)
class DayRow:
    """One day's attempts, and the points at its end."""

    day: date
    attempts: int
    passed: int
    reviews: int
    points: float


@dataclass(frozen=True)
class Timeline:
    """A chart, and the same as a table."""

    steps: tuple[Step, ...]
    marks: tuple[Mark, ...]
    days: tuple[DayRow, ...]
    ticks: tuple[date, ...]
    top: int
    height: int = HEIGHT
    lane: int = LANE

    @property
    def attempts(self) -> int:
        """The number of attempts in all."""
        return sum(row.attempts for row in self.days)


def timeline(moments: Sequence[Moment], max_points: float, until: datetime) -> Timeline | None:
    """The chart of these attempts up to the end of the day of `until`; None when there are none."""
    if not moments:
        return None
    ordered = sorted(moments, key=lambda moment: moment.at)
    first, last = ordered[0].at.date(), max(until.date(), ordered[-1].at.date())
    sums = _sums(ordered)
    top = next((top for top in TOPS if 100 * share(sums[-1], max_points) <= top), TOPS[-1])
    xs = [_across(moment.at, first, last) for moment in ordered]
    ys = [HEIGHT * (1 - 100 * share(points, max_points) / top) for points in sums]
    return Timeline(
        steps=_steps(xs, ys, _across(until, first, last)),
        marks=_marks(ordered, xs, ys),
        days=_days(ordered, sums),
        ticks=_ticks(first, last),
        top=top,
    )


def _sums(ordered: Sequence[Moment]) -> list[float]:
    """The course's points after each attempt: the sum of each exercise's best so far."""
    best: dict[str, float] = {}
    sums = []
    for moment in ordered:
        best[moment.exercise] = max(moment.points, best.get(moment.exercise, 0.0))
        sums.append(sum(best.values()))
    return sums


def _across(at: datetime, first: date, last: date) -> float:
    """The position of a time between the first and the last day, in percent."""
    start = datetime.combine(first, time(), at.tzinfo)
    length = timedelta(days=(last - first).days + 1)
    return 100 * min(max((at - start) / length, 0.0), 1.0)


def _steps(xs: Sequence[float], ys: Sequence[float], until: float) -> tuple[Step, ...]:
    """One step for each level of points; each begins with a rise from the one before."""
    steps = []
    before = float(HEIGHT)
    starts = [index for index, y in enumerate(ys) if y != (ys[index - 1] if index else before)]
    ends = [*(xs[index] for index in starts[1:]), max(until, xs[-1])]
    for index, end in zip(starts, ends, strict=False):  # if `starts` is empty, `ends` has one element too many
        steps.append(Step(xs[index], end - xs[index], ys[index], before - ys[index]))
        before = ys[index]
    return tuple(steps)


def _marks(ordered: Sequence[Moment], xs: Sequence[float], ys: Sequence[float]) -> tuple[Mark, ...]:
    places: dict[tuple[Kind, int], list[int]] = {}
    for index, moment in enumerate(ordered):
        places.setdefault((_kind(moment), int(xs[index] / GRAIN)), []).append(index)
    return tuple(
        Mark(
            kind=kind,
            x=xs[group[-1]],
            y=ys[group[-1]] if kind == "passed" else HEIGHT + LANE / 2,
            said=_said(kind, [ordered[index] for index in group]),
        )
        for (kind, _), group in places.items()
    )


def _kind(moment: Moment) -> Kind:
    if not moment.is_passed:
        return "failed"
    return "review" if moment.is_review else "passed"


def _said(kind: Kind, moments: Sequence[Moment]) -> str:
    words = {"passed": "passed", "failed": "not yet right", "review": "passed in a review"}
    titles = list(dict.fromkeys(moment.title for moment in moments))
    more = f" and {counted(len(titles) - NAMED, 'other')}" if len(titles) > NAMED else ""
    return f"{', '.join(titles[:NAMED])}{more}: {words[kind]}"


def _days(ordered: Sequence[Moment], sums: Sequence[float]) -> tuple[DayRow, ...]:
    groups: dict[date, list[int]] = {}
    for index, moment in enumerate(ordered):
        groups.setdefault(moment.at.date(), []).append(index)
    return tuple(
        DayRow(
            day=day,
            attempts=len(group),
            passed=sum(_kind(ordered[index]) == "passed" for index in group),
            reviews=sum(_kind(ordered[index]) == "review" for index in group),
            points=sums[group[-1]],
        )
        for day, group in groups.items()
    )


def _ticks(first: date, last: date) -> tuple[date, ...]:
    """The first and the last day, and one in the middle if there is any."""
    return tuple(dict.fromkeys((first, first + (last - first) // 2, last)))
