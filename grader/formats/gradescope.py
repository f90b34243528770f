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
from collections.abc import Iterator
from typing import Any

from grader.record import CheckResult, ExerciseResult, Record
from grader.render.safe_text import safe_line
from grader.render.wording import score

from .export import ExportTerms, File
from .graded import Assignment, Graded, assignments_of
from .telling import files_each, is_unchecked, joined, told_of_check, told_of_diagnosis, told_of_record, why_no_checks

LEAST = 1e-5
"""Points that differ by less are equal; they are rounded before."""


def files(graded: Graded, terms: ExportTerms) -> Iterator[File]:
    """One results.json a learner."""
    (whole,) = assignments_of(graded.summary, "learner", terms.units, terms.titles)
    yield from files_each(graded, terms, lambda record, _: results_json(record, terms, whole.max_points))


def results_json(record: Record, terms: ExportTerms, worth: float) -> dict[str, Any]:
    """What Gradescope is told about one submission; no score at all where the grader itself failed, or nothing counts.

    worth: what the assignment is worth there.
    """
    if not record.complete:
        return no_grade(told_of_record(record))
    points = Assignment(record.course.title, worth, None).points(record)
    if points is None:
        return no_grade(joined(told_of_record(record), "Nothing of it counts for you, so there is no grade."))
    counted, most = record.counted_points, record.counted_max_points
    is_other = abs(points - counted) > LEAST
    scaled = f"In proportion, {score(counted)} of {score(most)} points are {score(points)} of {score(worth)}."
    return {
        "score": points,
        "execution_time": math.ceil(sum(exercise.seconds for exercise in record.exercises)),
        "output": joined(told_of_record(record), scaled if is_other else ""),
        "extra_data": {"seed": record.seed, "isolation": record.isolation, "max_score": most},
        "tests": [
            test if not exercise.uncounted else _uncounted(test)
            for number, exercise in enumerate(record.exercises, start=1)
            for test in _tests(exercise, number, terms)
        ],
    }


def _uncounted(test: dict[str, Any]) -> dict[str, Any]:
    """A test of what does not count for this learner: how it ran, without points."""
    told = {key: value for key, value in test.items() if key not in ("score", "max_score")}
    return {**told, "name": f"{test['name']} (does not count)"}


def no_grade(output: str) -> dict[str, Any]:
    """A result for Gradescope without a score: why there is no grade."""
    return {"output": output}


def _tests(exercise: ExerciseResult, number: int, terms: ExportTerms) -> Iterator[dict[str, Any]]:
    title = safe_line(terms.titles.get(exercise.id, exercise.id))
    if is_unchecked(exercise):
        yield _test(f"{number}", title, 0.0, exercise.max_points, "failed", why_no_checks(exercise), exercise.id)
        return
    diagnosis = told_of_diagnosis(exercise)
    for place, check in enumerate(exercise.checks, start=1):
        output = told_of_check(check)
        if check.outcome == "failed":
            output, diagnosis = joined(output, diagnosis), ""
        name = f"{title}: {safe_line(check.title)}"
        yield _test(f"{number}.{place}", name, check.points, check.max_points, _status(check), output, exercise.id)


def _test(
    number: str, name: str, points: float, max_points: float, status: str, output: str, exercise: str
) -> dict[str, Any]:
    return {
        "score": points,
        "max_score": max_points,
        "status": status,
        "name": name,
        "number": number,
        "output": output,
        "tags": [exercise],
        "visibility": "visible",
    }


def _status(check: CheckResult) -> str:
    return "passed" if check.outcome == "passed" else "failed"
