"""Renders a class as one self-contained HTML page.

All facts are in the page as text, so that it reads and prints without a script. Its one script, which the page's
content security policy allows by its hash, sorts and filters tables and colours the marks in sight.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from .class_summary import ClassSummary, ExerciseTally, LearnerRow
from .pages import render_page
from .wording import MARKS

MOST_NAMED = 100
"""How many learners of a list are named; beyond that, only their count is given."""
MOST_LISTED = 3000
"""Limit for the learners in the table: a browser stays fast with this many. Above it, those with the fewest points."""

NOT_IN_RECORD = "-"


def render_class(summary: ClassSummary) -> str:
    """The page, the same bytes for equal summaries."""
    rows, exercises = summary.rows, summary.exercises

    listed = rows
    if len(rows) > MOST_LISTED:
        fewest = sorted(rows, key=lambda row: row.points)[:MOST_LISTED]
        listed = sorted(fewest, key=lambda row: row.number)
    worths = {row.max_points for row in rows}
    return render_page(
        "class.html.j2",
        summary=summary,
        listed=listed,
        exercises=exercises,
        places={tally.id: place for place, tally in enumerate(exercises, 1)},
        strip=lambda row: _strip(row, exercises),
        href=relative,
        most_named=MOST_NAMED,
        worth=worths.pop() if len(worths) == 1 else None,
        script=_script(),
        script_hash=base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode(),
    )


def relative(path: str) -> str:
    """A URL that can only lead to a file beside or below the page: no scheme, no host, no query."""
    return "./" + quote(path.lstrip("/").removeprefix("./"), safe="/")


def _strip(row: LearnerRow, exercises: Sequence[ExerciseTally]) -> str:
    """A learner's statuses as signs, with a space between units."""
    signs = ((MARKS[row.statuses[each.id]].sign if each.id in row.statuses else NOT_IN_RECORD) for each in exercises)
    units = groupby(zip(signs, exercises, strict=True), key=lambda pair: pair[1].unit)
    return " ".join("".join(sign for sign, _ in members) for _, members in units)


@cache
def _script() -> Markup:
    return Markup((Path(__file__).parent / "templates" / "class.js").read_text("utf-8").strip())
