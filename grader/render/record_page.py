"""Renders one record as a self-contained page without scripts."""

from __future__ import annotations

from collections.abc import Mapping

from grader.record import Record

from .pages import render_page
from .safe_text import LINE_LIMIT, safe_block
from .verdict import by_unit, verdicts_on
from .wording import Units, passed_count, ungraded

NO_SOURCES: Mapping[str, bytes] = {}
CODE_LINES = 400
"""More of a learner's file is not shown."""


def render_record(
    record: Record,
    *,
    titles: Mapping[str, str],
    units: Units,
    sources: Mapping[str, bytes] = NO_SOURCES,
) -> str:
    """The page of one record.

    titles: an exercise's title by its id. units: each unit's title with its exercise ids, in course order.
    sources: what was graded, to be shown, by id.
    """
    verdicts = verdicts_on(record, titles)
    # Numbers, not ids, so that no text of a course or a learner ends up in an address.
    anchors = {verdict.id: f"exercise-{number}" for number, verdict in enumerate(verdicts, 1)}
    return render_page(
        "record.html.j2",
        record=record,
        units=by_unit(verdicts, units),
        anchors=anchors,
        passed=passed_count(record),
        warning=ungraded(record),
        sources={
            id: "\n".join(safe_block(source.decode("utf-8", "replace"), CODE_LINES, CODE_LINES * LINE_LIMIT))
            for id, source in sources.items()
        },
    )
