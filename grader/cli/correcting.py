"""`kata override` sets points by hand, with a reason; `kata diff` compares two gradings."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .endings import UsageError
from .expected import demand_results
from .terms import CourseFile, course_at, final_records

if TYPE_CHECKING:
    from grader.classroom.regrading import Move
    from grader.classroom.results_file import Result
    from grader.classroom.run_header import RunHeader
    from grader.record import ExerciseResult


@app.command("diff", rich_help_panel=TEACH)
def diff(
    before: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT1")],
    after: Annotated[Path, typer.Argument(help="Another such folder, to compare with.", metavar="OUT2")],
) -> None:
    """Compare two gradings of a class: whose points differ, and why; nothing is graded."""
    from grader.classroom.attempts import graded_in
    from grader.classroom.regrading import told_moves
    from grader.classroom.results_file import read_results
    from grader.classroom.run_header import read_run
    from grader.render.safe_text import safe_line
    from grader.render.wording import counted

    demand_results(before, "kata diff {} OUT2")
    demand_results(after, "kata diff OUT1 {}")
    headers = read_run(graded_in(before)), read_run(graded_in(after))
    learners = [{each.name: place for place, each in enumerate(read_results(out).learners)} for out in (before, after)]
    for line in _terms(*headers):
        print(line)
    for out, here, other in ((before, learners[0], learners[1]), (after, learners[1], learners[0])):
        if alone := [name for name in here if name not in other]:
            print(f"Only in {out}: {', '.join(map(safe_line, alone))}.")
    moves = _moves(before, after, headers, learners)
    for line in told_moves(moves):
        print(line)
    both = counted(sum(name in learners[1] for name in learners[0]), "learner")
    moved = len({move.learner for move in moves})
    print(f"{counted(len(moves), 'difference')}, of {moved} of {both} in both.")


def _moves(
    before: Path, after: Path, headers: tuple[RunHeader | None, RunHeader | None], places: list[dict[str, int]]
) -> list[Move]:
    from grader.classroom.regrading import grades_of, moves_between
    from grader.classroom.results_file import read_results

    old, new = read_results(before), read_results(after)
    is_other = None not in headers and len({header.isolation for header in headers if header}) > 1
    moves = []
    for name in (name for name in places[0] if name in places[1]):
        old_grades = grades_of(old[places[0][name]].record, headers[0])
        new_grades = grades_of(new[places[1][name]].record, headers[1])
        moves += moves_between(name, old_grades, new_grades, ["the isolation"] if is_other else [])
    return moves


def _terms(one: RunHeader | None, other: RunHeader | None) -> list[str]:
    """The differences of the two runs' terms."""
    if one is None or other is None:
        return ["One of these does not say on what terms it was graded."]
    differences = one.differences(other)
    return [f"On other terms: {'; '.join(differences)}."] if differences else ["On the same terms."]


BACK = "back"
"""In place of points: revokes an earlier override."""


@app.command(rich_help_panel=TEACH)
def override(
    out: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")],
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
    from grader.classroom.handed_in import result_of_learner
    from grader.classroom.kept_times import read_kept_times
    from grader.render.safe_text import safe_line, visible

    demand_results(out, "kata override {} LEARNER EXERCISE POINTS --reason TEXT")
    if not reason.strip():
        raise UsageError("--reason must say why: whoever looks at these points later has nothing else.")
    chosen = course_at(course)
    id = chosen.exercise(exercise).id
    attempts = graded_in(out) != out
    with folder_for_run(out, attempts=attempts) as graded:
        result = result_of_learner(out, learner)
        before = _exercise(result, id)
        name = result.learner.name
        add_correction(out, name, id, _points(points, before), " ".join(reason.split()))
        for remark in final_records(out, chosen, read_kept_times(graded), raw=False):
            print(visible(remark), file=sys.stderr)
        after = _exercise(result_of_learner(out, name), id)
    print(f"{safe_line(result.learner.shown)}, {id}: {_told(before)} -> {_told(after)} points.")
    print(f"Write the pages anew with: kata policy {out} --html")


def _exercise(result: Result, id: str) -> ExerciseResult:
    found = [each for each in result.record.exercises if each.id == id]
    if not found:
        raise UsageError(f"{id} was not graded in this run.")
    return found[0]


def _points(text: str, exercise: ExerciseResult) -> float | None:
    """The number, from 0 to the exercise's maximum; None to revoke an earlier one. Raises UsageError."""
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
    from grader.render.wording import score

    return score(exercise.counted_points)
