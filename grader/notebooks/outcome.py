"""The table with which `nbgrader autograde` ends: who has how many points, who was late, what could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from grader.classroom.due_dates import duration
from grader.intake.names import printable
from grader.render.wording import score

from .submitted import Submitted

_HEAD = ("who", "points", "late", "what could not be read")


def outcome_table(coursedir: Any, submissions: Sequence[Submitted], graded: Sequence[Submitted]) -> str:
    """The outcome of a run, a line for each submission of it.

    coursedir: nbgrader's CourseDirectory. graded: those that were graded now; the others' points are older.
    """
    with Gradebook(coursedir.db_url, coursedir.course_id) as book:
        rows = [_HEAD, *(_row(book, each) for each in submissions)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if older := sum(not each.refused and each not in graded for each in submissions):
        lines.append(f"Graded before and left as it was: {older}. With --force it is graded again.")
    return "\n".join(["Outcome:", *lines])


def _row(book: Any, each: Submitted) -> tuple[str, str, str, str]:
    problems = printable(" ".join(each.problems), 200)
    if each.refused:
        return printable(each.learner), "not graded", "", each.refused
    try:
        found = book.find_submission(each.assignment, each.learner)
    except MissingEntry:
        return printable(each.learner), "not graded", "", problems
    penalty = found.late_submission_penalty or 0.0
    points = f"{score(found.score - penalty)} / {score(found.max_score)}"
    late = ""
    if found.total_seconds_late > 0:
        late = f"{duration(timedelta(seconds=found.total_seconds_late))}: {score(-penalty)}"
    return printable(each.learner), points + (", not all read" if found.needs_manual_grade else ""), late, problems
