"""`kata override`: points that a person sets by hand, with a reason."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .endings import UsageError
from .policy_options import final_records
from .terms import CourseFile, course_at

if TYPE_CHECKING:
    from grader.classroom.results_file import Result
    from grader.results import ExerciseResult

BACK = "back"
"""In place of points: what was set before is taken back."""


@app.command(rich_help_panel=TEACH)
def override(
    out: Annotated[Path, typer.Argument(help="What `kata grade-class --out` left.", metavar="OUT")],
    learner: Annotated[str, typer.Argument(help="The learner's id, login, email or name.", metavar="LEARNER")],
    exercise: Annotated[str, typer.Argument(help="The exercise's id.", metavar="EXERCISE")],
    points: Annotated[
        str, typer.Argument(help=f"The points that count; {BACK} takes an earlier override back.", metavar="POINTS")
    ],
    reason: Annotated[
        str, typer.Option("--reason", help="Why, in a sentence: the learner reads it too.", metavar="TEXT")
    ],
    course: CourseFile = None,
) -> None:
    """Set a learner's points for an exercise by hand: recorded with the reason, and kept when a run goes on."""
    from grader.classroom.attempts import folder_for_run, graded_in
    from grader.classroom.corrections import add_correction
    from grader.classroom.handed_in import LearnerError, result_of_learner
    from grader.classroom.kept_times import read_kept_times
    from grader.reports.safe_text import safe_line

    if not out.is_dir():
        raise UsageError(f"There is no folder {out}: `kata grade-class DIR --out {out}` makes it.")
    if not reason.strip():
        raise UsageError("--reason must say why: whoever looks at these points later has nothing else.")
    chosen = course_at(course)
    id = chosen.exercise(exercise).id
    attempts = graded_in(out) != out
    with folder_for_run(out, attempts=attempts) as graded:
        try:
            result = result_of_learner(out, learner)
        except LearnerError as error:
            raise UsageError(str(error)) from None
        before = _exercise(result, id)
        name = result.learner.name
        add_correction(out, name, id, _points(points, before), " ".join(reason.split()))
        for remark in final_records(out, chosen, read_kept_times(graded), raw=False):
            print(remark, file=sys.stderr)
        after = _exercise(result_of_learner(out, name), id)
    print(f"{safe_line(result.learner.shown)}, {id}: {_told(before)} -> {_told(after)} points.")
    print(f"Write the pages anew with: kata policy {out} --html")


def _exercise(result: Result, id: str) -> ExerciseResult:
    found = [each for each in result.record.exercises if each.id == id]
    if not found:
        raise UsageError(f"{id} was not graded in this run.")
    return found[0]


def _points(text: str, exercise: ExerciseResult) -> float | None:
    """The number, from 0 to what the exercise is worth; None to take an earlier one back. Raises UsageError."""
    if text == BACK:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= exercise.max_points:
        raise UsageError(
            f"Points for {exercise.id} are a number from 0 to {exercise.max_points:g}, or {BACK}; {text!r} is none."
        )
    return number


def _told(exercise: ExerciseResult) -> str:
    from grader.reports.wording import score

    return score(exercise.counted_points)
