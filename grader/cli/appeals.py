"""`kata explain`: shows an instructor why a learner of a graded class lost points."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .expected import demand_results
from .terms import CourseFile, course_at, level_called, refuse_exposed, say


@app.command(rich_help_panel=TEACH)
def explain(
    out: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")],
    learner: Annotated[str, typer.Argument(help="The learner's id, login, email or name.", metavar="LEARNER")],
    exercise: Annotated[
        str | None, typer.Argument(help="Only this exercise; all with lost points by default.", metavar="[EXERCISE]")
    ] = None,
    inputs: Annotated[
        bool,
        typer.Option(
            "--inputs",
            help="Run the checks again and show hidden inputs, expected and actual values. Not for learners.",
        ),
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="The submission, if it has moved since it was graded.", metavar="PATH"),
    ] = None,
    isolation: Annotated[
        str | None, typer.Option("--isolation", help="Isolation level; by default that of the class.", metavar="LEVEL")
    ] = None,
    course: CourseFile = None,
) -> None:
    """Show at which checks a learner lost points, and why, and how to run them again with the same inputs."""
    from grader.classroom.explain import ExplainOptions
    from grader.classroom.explain import explain as explained
    from grader.render.safe_text import encodable

    demand_results(out, "kata explain {} LEARNER")
    chosen = course_at(course)
    level = level_called(isolation, chosen_aloud=inputs) if isolation else None
    if inputs:
        refuse_exposed(level or "full", chosen.root)
    for line in explained(out, learner, chosen, ExplainOptions(exercise, inputs, file, level), say):
        print(encodable(line, sys.stdout.encoding or "utf-8"))
