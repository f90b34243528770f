"""An exercise's result as the outputs of its test cell: what the checks found, and the points that nbgrader reads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from nbformat.v4 import new_output

from grader.reports import wording
from grader.reports.safe_text import safe_block, safe_line, visible
from grader.results import CheckResult, ExerciseResult

MESSAGE_LINES = 60


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
    return _environment().get_template("verdict.html.j2").render(exercise=result, problems=problems, seed=seed)


def _text(result: ExerciseResult, problems: Sequence[str]) -> str:
    points = f"{wording.score(result.points)} of {wording.score(result.max_points)} points"
    lines = [f"{wording.MARKS[result.status].word}: {points}"]
    lines += [safe_line(problem) for problem in problems]
    lines += [f"This looks like: {safe_line(each.message)}" for each in result.diagnosis]
    for finding in wording.findings(result):
        lines += map(_line, finding.checks)
        lines += ["    " + line for line in safe_block(finding.message, MESSAGE_LINES)]
    lines += [_line(check) for check in result.checks if check.outcome == "passed"]
    return "\n".join(lines)


def _line(check: CheckResult) -> str:
    points = f"{wording.score(check.points)}/{wording.score(check.max_points)}"
    return f"[{check.outcome}] {safe_line(check.title or check.name)} ({points})"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        line=safe_line, block=lambda text: "\n".join(safe_block(text, MESSAGE_LINES)), score=wording.score
    )
    environment.globals.update(
        marks=wording.MARKS,
        findings=wording.findings,
        not_run=wording.not_run,
        waits_for_main=wording.waits_for_main,
    )
    return environment


def _shown(value: Any) -> Any:
    """A value on its way into a page, with what would be invisible spelt out."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
