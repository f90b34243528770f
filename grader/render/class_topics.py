"""Finds what to explain to a class next: what most learners share; and exercises that may be unfair.

Also the distribution of the class's points: for a histogram, and averages in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean, median

from .class_summary import ClassSummary, ExerciseTally, LearnerRow
from .wording import counted, score, share

TOPICS = 3
SHARED_BY = 2
"""Unexplained failures are reported if at least this many learners share them: a single learner's page says more."""

FEW_PASS = 0.1
ENOUGH_TRIED = 5
"""An exercise may be unfair if at least this many tried, and at most the share FEW_PASS of these passed."""


@dataclass(frozen=True)
class Topic:
    """Something that several learners share."""

    exercise: ExerciseTally
    learners: Sequence[int]
    message: str

    @property
    def how_many(self) -> str:
        """How many learners share it, of how many who tried."""
        return f"{len(self.learners)} of the {counted(self.exercise.tried, 'learner')} who tried"


def topics(summary: ClassSummary) -> list[Topic]:
    """The known mistakes that most learners made."""
    return [Topic(made.exercise, made.learners, made.message) for made in summary.misconceptions[:TOPICS]]


def unexplained(summary: ClassSummary) -> list[Topic]:
    """Failures that most learners share and no known mistake explains, except in exercises that may be unfair."""
    found = (topic for tally in summary.exercises if not may_be_unfair(tally) for topic in _unexplained(tally))
    shared = (topic for topic in found if len(topic.learners) >= SHARED_BY)
    return sorted(shared, key=lambda topic: -len(topic.learners))[:TOPICS]


def _unexplained(tally: ExerciseTally) -> Iterator[Topic]:
    check = max(tally.checks.values(), key=lambda check: len(check.unexplained), default=None)
    if check and check.unexplained:
        yield Topic(tally, check.unexplained, f"miss “{check.title}” Read a few of their answers.")
    if tally.stuck:
        yield Topic(tally, tally.stuck, "fail every check for one reason, such as code that cannot be loaded.")


def may_be_unfair(tally: ExerciseTally) -> bool:
    """Whether so few pass that the exercise, its lesson or its checks may be at fault rather than the class."""
    return tally.tried >= ENOUGH_TRIED and tally.passed <= FEW_PASS * tally.tried


def doubtful(summary: ClassSummary) -> list[ExerciseTally]:
    """The exercises that almost no learner passes, in course order."""
    return [tally for tally in summary.exercises if may_be_unfair(tally)]


def most_missed(summary: ClassSummary) -> ExerciseTally | None:
    """The exercise with the check that most learners fail; None when no check failed."""
    missed = [(check.missed, tally) for tally in summary.exercises if (check := tally.most_missed)]
    return max(missed, key=lambda pair: pair[0])[1] if missed else None


BINS = 10
_ROUNDING = 1e-9  # 0.7 of the points belongs to the bin that begins there, despite floating-point rounding


@dataclass(frozen=True)
class Bin:
    """How many learners have at least `low` and less than `high` points; the last bin has no upper end."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Distribution:
    """The points of learners whose points are a mark. `unit`: points or percent of the points."""

    bins: tuple[Bin, ...]
    unit: str
    worth: float
    mean: float
    median: float
    learners: int

    @property
    def highest(self) -> int:
        """The largest number of learners in a bin."""
        return max(bin.count for bin in self.bins)

    def across(self, value: float) -> float:
        """The position of a value between zero and the maximum, from 0 to 1."""
        return share(value, self.worth)


def distribution(rows: Sequence[LearnerRow]) -> Distribution | None:
    """The distribution of points; None when no learner's points are a mark, or there are no points to earn."""
    marked = [row for row in rows if row.is_mark and row.max_points > 0]
    if not marked:
        return None
    is_common = len({row.max_points for row in marked}) == 1
    worth = marked[0].max_points if is_common else 100.0
    values = [worth * row.points / row.max_points for row in marked]  # above the maximum with extra credit
    counts = [0] * BINS
    for value in values:
        counts[min(int(share(value, worth) * BINS + _ROUNDING), BINS - 1)] += 1
    edges = [worth * step / BINS for step in range(BINS + 1)]
    return Distribution(
        bins=tuple(Bin(*each) for each in zip(edges, edges[1:], counts, strict=False)),
        unit="points" if is_common else "percent of the points",
        worth=worth,
        mean=mean(values),
        median=median(values),
        learners=len(values),
    )


def averages(rows: Sequence[LearnerRow]) -> str:
    """Mean and median in one sentence, and who was left out of them."""
    spread = distribution(rows)
    left_out = [
        f"{counted(count, 'submission')} {what}"
        for what, count in (
            ("not fully graded", sum(not row.is_complete for row in rows)),
            ("that could not be read", sum(bool(row.unreadable) for row in rows)),
        )
        if count
    ]
    aside = f"; left out: {' and '.join(left_out)}" if left_out else ""
    if spread is None:
        return f"No averages{aside}." if aside else "No submissions."
    of = f" of {score(spread.worth)} points" if spread.unit == "points" else f" {spread.unit}"
    return (
        f"Mean {score(spread.mean)}, median {score(spread.median)}{of}, "
        f"over {counted(spread.learners, 'submission')}{aside}."
    )
