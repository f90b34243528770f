"""Renders a class as one self-contained HTML page.

All facts are in the page as text, so that it reads and prints without a script. Its one script, which the page's
content security policy allows by its hash, sorts and filters tables, colours the visible rows, and expands long lists.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from grader.record import Status

from .class_summary import ClassSummary, ExerciseTally, LearnerRow
from .class_topics import averages, distribution, doubtful, may_be_unfair, most_missed, topics, unexplained
from .pages import render_page
from .played import Gallery
from .wording import IN_CLASSES, MARKS

NAMED_FIRST = 5
"""How many learners of a list the page itself names; the script names the rest when the list is opened."""

MOST_NUMBERED = 1000
"""How many learners of a list are given by number; beyond that, only their count."""

MOST_LISTED = 3000
"""Limit for the learners in the table: a browser stays fast with this many. Above it, those with the fewest points."""

ROOMY = 30
"""A table with at least this many rows scrolls within its own area, below a fixed head."""

NOT_IN_RECORD = "-"


@dataclass(frozen=True)
class Who:
    """Learners: their count, the first of them, the numbers of the rest (such as 17, 45-48), and how many are left."""

    count: int
    first: Sequence[LearnerRow]
    rest: str
    more: int


def render_class(summary: ClassSummary, gallery: Gallery | None = None) -> str:
    """The page, the same bytes for equal summaries. gallery: maps of learners' own, where they handed them in."""

    def who(numbers: Sequence[int]) -> Who:
        rest = in_ranges(numbers[NAMED_FIRST:MOST_NUMBERED])
        return Who(len(numbers), summary.those(numbers[:NAMED_FIRST]), rest, max(len(numbers) - MOST_NUMBERED, 0))

    def those(rows: Iterable[LearnerRow]) -> Who:
        return who([row.number for row in rows])

    rows, exercises = summary.rows, summary.exercises
    worths = {row.max_points for row in rows}
    return render_page(
        "class.html.j2",
        summary=summary,
        rows=rows,
        listed_rows=_listed(rows),
        exercises=exercises,
        key=[list(members) for _, members in groupby(enumerate(exercises, 1), key=lambda pair: pair[1].unit)],
        places={tally.id: place for place, tally in enumerate(exercises, 1)},
        strip=lambda row: _strip(summary.statuses(row), exercises),
        parts=_parts,
        href=relative,
        who=who,
        worth=worths.pop() if len(worths) == 1 else None,
        averages=averages(rows),
        spread=distribution(rows),
        topics=topics(summary),
        unexplained=unexplained(summary),
        doubtful=doubtful(summary),
        may_be_unfair=may_be_unfair,
        most_missed=most_missed(summary),
        misconceptions=summary.misconceptions,
        incomplete=those(row for row in rows if not row.is_complete),
        idle=those(row for row in rows if not row.has_begun and not row.unreadable),
        unreadable=[row for row in rows if row.unreadable],
        problems=those(row for row in rows if row.problems),
        exercise_maps=gallery.exercise_maps if gallery else [],
        roomy=ROOMY,
        script=_script(),
        script_hash=base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode(),
    )


def _listed(rows: Sequence[LearnerRow]) -> Sequence[LearnerRow]:
    if len(rows) <= MOST_LISTED:
        return rows
    fewest = sorted(rows, key=lambda row: row.points)[:MOST_LISTED]
    return sorted(fewest, key=lambda row: row.number)


def relative(path: str) -> str:
    """A URL that can only lead to a file beside or below the page: no scheme, no host, no query."""
    return "./" + quote(path.lstrip("/").removeprefix("./"), safe="/")


def in_ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers as text, with ranges for neighbours: 3, 7-9."""
    groups = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    runs = [[number for _, number in group] for _, group in groups]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _strip(statuses: Sequence[Status | None], exercises: Sequence[ExerciseTally]) -> str:
    """A learner's statuses as signs, with a space between units."""
    signs = (MARKS[status].sign if status else NOT_IN_RECORD for status in statuses)
    units = groupby(zip(signs, exercises, strict=True), key=lambda pair: pair[1].unit)
    return " ".join("".join(sign for sign, _ in members) for _, members in units)


def _parts(tally: ExerciseTally) -> list[tuple[Status, int, float, float]]:
    """The statuses that occur, each with its count, and the start and width of its bar in percent."""
    total = tally.counts.total()
    parts, start = [], 0.0
    for status in IN_CLASSES:
        if count := tally.counts[status]:
            parts.append((status, count, start, 100 * count / total))
            start += 100 * count / total
    return parts


@cache
def _script() -> Markup:
    return Markup((Path(__file__).parent / "templates" / "class.js").read_text("utf-8").strip())
