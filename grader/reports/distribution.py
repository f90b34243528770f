"""How a class's points are spread: what a histogram shows, and the averages in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from grader.reports.class_summary import LearnerRow
from grader.reports.wording import counted, score, share

BINS = 10
_ROUNDING = 1e-9  # 0.7 of the points belongs to the bin that begins there, whatever a float makes of it


@dataclass(frozen=True)
class Bin:
    """How many learners have from `low` to `high` points; `high` itself, and what is above it, only in the last bin."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Distribution:
    """The points of those whose points are a mark. `unit`: what is counted, points or percent of the points."""

    bins: tuple[Bin, ...]
    unit: str
    worth: float
    mean: float
    median: float
    learners: int

    @property
    def highest(self) -> int:
        """How many learners the fullest bin has."""
        return max(bin.count for bin in self.bins)

    def across(self, value: float) -> float:
        """Where a value stands between nothing and all, as a part of 1."""
        return share(value, self.worth)


def distribution(rows: Sequence[LearnerRow]) -> Distribution | None:
    """The spread of points; None when nobody's points are a mark, or nothing was to be had."""
    marked = [row for row in rows if row.is_mark and row.max_points > 0]
    if not marked:
        return None
    is_common = len({row.max_points for row in marked}) == 1
    worth = marked[0].max_points if is_common else 100.0
    values = [worth * row.points / row.max_points for row in marked]  # above 1 with extra credit
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
