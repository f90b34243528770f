"""results.json as Gradescope takes it from an autograder: one file a submission.

By Gradescope's "Autograder Specifications" (gradescope-autograders.readthedocs.io, specs; docs/specs.md of
gradescope/autograder_samples):

- `score` at the top or on each test; `tests` with score, max_score, name, number, output, tags, visibility, status.
- Visibility is hidden, after_due_date, after_published or visible. Everything here is visible: what hidden checks say
  is written for learners. What the program prints stays with the instructors, which is the default.
- Without any score there is no grade: that is what becomes of a submission that could not be graded in full.
- `score` and `max_score` of a test may be left out where the whole has a score: so are those of what does not count.
- An assignment is worth one number of points for everybody. So where a part does not count for a learner, the rest is
  in proportion, as in a column of Canvas's or Moodle's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from grader.record import Record
from grader.render.verdict import verdicts_on
from grader.render.wording import score

from .results_table import ResultsTable, TableColumn
from .shared_text import MESSAGE_LINES, paragraphs, tests_of, text_of_record

LEAST = 1e-5
"""Points that differ by less are equal; they are rounded before."""


def result(record: Record, table: ResultsTable) -> dict[str, Any]:
    """What Gradescope is told about one learner."""
    return results_json(record, table.titles, table.whole.max_points)


def results_json(record: Record, titles: Mapping[str, str], worth: float) -> dict[str, Any]:
    """What Gradescope is told about one submission; no score at all where the grader itself failed, or nothing counts.

    titles: by the exercises' ids. worth: what the assignment is worth there.
    """
    told = text_of_record(record)
    if not record.complete:
        return no_grade(told)
    points = TableColumn(record.course.title, worth).points(record)
    if points is None:
        return no_grade(paragraphs(told, "Nothing of it counts for you, so there is no grade."))
    counted, most = record.counted_points, record.counted_max_points
    scaled = f"In proportion, {score(counted)} of {score(most)} points are {score(points)} of {score(worth)}."
    return {
        "score": points,
        "execution_time": math.ceil(sum(exercise.seconds for exercise in record.exercises)),
        "output": paragraphs(told, scaled if abs(points - counted) > LEAST else ""),
        "extra_data": {"seed": record.seed, "isolation": record.isolation, "max_score": most},
        "tests": list(_tests(record, titles)),
    }


def no_grade(output: str) -> dict[str, Any]:
    """A result for Gradescope without a score: why there is no grade."""
    return {"output": output}


def _tests(record: Record, titles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """A test for each check; what does not count for this learner without points."""
    verdicts = verdicts_on(record, titles, lines=MESSAGE_LINES)
    for number, (exercise, verdict) in enumerate(zip(record.exercises, verdicts, strict=True), start=1):
        for place, test in enumerate(tests_of(verdict), start=1):
            name = f"{verdict.title}: {test.title}" if verdict.is_checked else verdict.title
            yield {
                **({} if exercise.uncounted else {"score": test.points, "max_score": test.max_points}),
                "status": "passed" if test.outcome == "passed" else "failed",
                "name": f"{name} (does not count)" if exercise.uncounted else name,
                "number": f"{number}.{place}" if verdict.is_checked else f"{number}",
                "output": test.said,
                "tags": [verdict.id],
                "visibility": "visible",
            }
