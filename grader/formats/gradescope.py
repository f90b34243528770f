"""results.json as Gradescope takes it from an autograder: one file a submission.

By Gradescope's "Autograder Specifications" (gradescope-autograders.readthedocs.io, specs; docs/specs.md of
gradescope/autograder_samples):

- `score` at the top or on each test; `tests` with score, max_score, name, number, output, tags, visibility, status.
- Visibility is hidden, after_due_date, after_published or visible. Everything here is visible: what hidden checks say
  is written for learners. What the program prints stays with the instructors, which is the default.
- Without any score there is no grade: that is what becomes of a submission that could not be graded in full.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from grader.record import CheckResult, ExerciseResult, Record
from grader.render.safe_text import safe_line

from .export import ExportTerms, File
from .graded import Graded
from .telling import files_each, is_unchecked, joined, told_of_check, told_of_diagnosis, told_of_record, why_no_checks


def files(graded: Graded, terms: ExportTerms) -> Iterator[File]:
    """One results.json for each learner."""
    return files_each(graded, terms, results_json)


def results_json(record: Record, terms: ExportTerms) -> dict[str, Any]:
    """The result of one submission for Gradescope; without any score if the grader itself failed."""
    if not record.complete:
        return no_grade(told_of_record(record))
    return {
        "score": record.counted_points,
        "execution_time": math.ceil(sum(exercise.seconds for exercise in record.exercises)),
        "output": told_of_record(record),
        "extra_data": {"seed": record.seed, "isolation": record.isolation, "max_score": record.counted_max_points},
        "tests": [
            test
            for number, exercise in enumerate(record.exercises, start=1)
            for test in _tests(exercise, number, terms)
        ],
    }


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
    number: str, name: str, score: float, max_score: float, status: str, output: str, exercise: str
) -> dict[str, Any]:
    return {
        "score": score,
        "max_score": max_score,
        "status": status,
        "name": name,
        "number": number,
        "output": output,
        "tags": [exercise],
        "visibility": "visible",
    }


def _status(check: CheckResult) -> str:
    return "passed" if check.outcome == "passed" else "failed"
