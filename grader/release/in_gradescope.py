"""Runs in Gradescope's container, as `run_autograder`: grades one submission in isolation and writes the result.

    python -I -m grader.release.in_gradescope ROOT

ROOT is /autograder there. Without isolation there is no grade: the file then has a sentence and no score.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from grader.course import FILE_NAME, load_course
from grader.files import write_file
from grader.formats.gradescope import no_grade, results_json
from grader.formats.shared_text import as_json

from .gradescope_zip import COURSE, points_of
from .walled import grade_walled

NOT_YOUR_FAULT = "That is no fault of your work, and it is not a zero. Please tell the people who run the course."


def main(root: Path) -> int:
    """Grade ROOT/submission and write ROOT/results/results.json; 0 when that contains a grade."""
    result = _result(root)
    write_file(root / "results" / "results.json", as_json(result).encode("utf-8"), below=root)
    return 0 if "score" in result else 1


def _result(root: Path) -> dict[str, Any]:
    course = root / COURSE / FILE_NAME
    graded = grade_walled(root / "submission", course)
    if not graded.can_isolate:
        print(f"This container cannot isolate submissions: {graded.reason}. No grade was recorded.")
        return no_grade(f"Nothing was graded. {NOT_YOUR_FAULT}")
    if graded.record is None:
        return no_grade(f"Nothing was graded: {graded.reason} {NOT_YOUR_FAULT}")
    loaded = load_course(course)
    return results_json(graded.record, loaded.titles, points_of(loaded))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
