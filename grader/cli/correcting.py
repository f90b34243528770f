"""`kata override` sets points by hand, with a reason; `kata diff` compares two gradings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .expected import demand_results
from .terms import CourseFile, course_at, say


@app.command("diff", rich_help_panel=TEACH)
def diff(
    before: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT1")],
    after: Annotated[Path, typer.Argument(help="Another such folder, to compare with.", metavar="OUT2")],
) -> None:
    """Compare two gradings of a class: whose points differ, and why; nothing is graded."""
    from grader.classroom.comparison import compared

    demand_results(before, "kata diff {} OUT2")
    demand_results(after, "kata diff OUT1 {}")
    for line in compared(before, after):
        print(line)


@app.command(rich_help_panel=TEACH)
def override(
    out: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")],
    learner: Annotated[str, typer.Argument(help="The learner's id, login, email or name.", metavar="LEARNER")],
    exercise: Annotated[str, typer.Argument(help="The exercise's id.", metavar="EXERCISE")],
    points: Annotated[
        str, typer.Argument(help="The points that count; back takes an earlier override back.", metavar="POINTS")
    ],
    reason: Annotated[
        str, typer.Option("--reason", help="Why, in a sentence: the learner reads it too.", metavar="TEXT")
    ],
    course: CourseFile = None,
) -> None:
    """Set a learner's points for an exercise by hand: recorded with the reason, and kept when a run goes on."""
    from grader.classroom.override import override_points
    from grader.render.safe_text import safe_line
    from grader.render.wording import score

    demand_results(out, "kata override {} LEARNER EXERCISE POINTS --reason TEXT")
    done = override_points(out, learner, exercise, points, reason, course_at(course))
    for remark in done.remarks:
        say(remark)
    print(f"{safe_line(done.learner)}, {done.exercise}: {score(done.before)} -> {score(done.after)} points.")
    print(f"Write the pages anew with: kata policy {out} --html")
