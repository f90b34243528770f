"""An exercise's result as the outputs of its test cell: what the checks found, and the points that nbgrader reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbformat.v4 import new_output

from grader.reports import wording
from grader.reports.pages import MESSAGE_LINES, render_page
from grader.reports.safe_text import safe_block, safe_line
from grader.results import CheckResult, ExerciseResult


def outputs_of(result: ExerciseResult, worth: float, problems: Sequence[str], seed: int) -> list[Any]:
    """The outputs of a test cell.

    nbgrader takes the first execute_result for the points, and whatever it cannot read for full marks. So there is
    exactly one, a plain number from 0 to `worth`.

    problems: sentences about what was handed in for this exercise.
    """
    shown = {"text/html": _page(result, problems, seed), "text/plain": _text(result, problems)}
    points = min(max(float(result.points), 0.0), float(worth))
    return [
        new_output("display_data", data=shown),
        new_output("execute_result", data={"text/plain": repr(points)}),
    ]


def _page(result: ExerciseResult, problems: Sequence[str], seed: int) -> str:
    return render_page("test_cell.html.j2", exercise=result, problems=problems, seed=seed)


def _text(result: ExerciseResult, problems: Sequence[str]) -> str:
    points = f"{wording.score(result.points)} of {wording.score(result.max_points)} points"
    lines = [f"{wording.MARKS[result.status].word}: {points}"]
    lines += [safe_line(problem) for problem in problems]
    lines += [f"Probably: {safe_line(each.message)}" for each in result.diagnosis]
    for finding in wording.findings(result):
        lines += map(_line, finding.checks)
        lines += ["    " + line for line in safe_block(finding.message, MESSAGE_LINES)]
    lines += [_line(check) for check in result.checks if check.outcome == "passed"]
    return "\n".join(lines)


def _line(check: CheckResult) -> str:
    points = f"{wording.score(check.points)}/{wording.score(check.max_points)}"
    return f"[{check.outcome}] {safe_line(check.title or check.name)} ({points})"
