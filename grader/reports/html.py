"""A record as one HTML page that needs nothing beside itself and runs nothing."""

from __future__ import annotations

from collections.abc import Mapping

from grader.reports.pages import render_page
from grader.reports.wording import Units, by_unit, passed_count, ungraded
from grader.results import Record


def render_record(record: Record, *, titles: Mapping[str, str], units: Units) -> str:
    """The page of one record.

    titles: an exercise's title by its id. units: each unit's title with its exercise ids, in course order.
    """
    return render_page(
        "record.html.j2",
        record=record,
        units=by_unit(record, units),
        titles={exercise.id: titles.get(exercise.id, exercise.id) for exercise in record.exercises},
        # Numbers, not ids, so that no text of a course or a learner ends up in an address.
        anchors={exercise.id: f"exercise-{number}" for number, exercise in enumerate(record.exercises, 1)},
        passed=passed_count(record),
        warning=ungraded(record),
    )
