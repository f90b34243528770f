"""`kata autograder`: the grader packed for Gradescope and GitHub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .exporting import Force, export_errors_told
from .terms import CourseFile, Units, course_at, set_units

autograder = typer.Typer(name="autograder", help="Make an autograder for Gradescope or GitHub.", no_args_is_help=True)
app.add_typer(autograder, rich_help_panel=TEACH)


@autograder.command("gradescope")
def gradescope(
    zip: Annotated[Path, typer.Argument(help="The zip to write.", metavar="FILE.zip")],
    index: Annotated[
        str | None, typer.Option("--index", help="One more package index for pip, such as one with a smaller torch.")
    ] = None,
    unit: Units = None,
    force: Force = False,
    course: CourseFile = None,
) -> None:
    """Write a zip for Gradescope's autograder page. It holds solutions and hidden checks: never give it to learners."""
    from grader.autograders.gradescope import gradescope_zip, points_of
    from grader.exports.writing import write_bytes
    from grader.reports.wording import score

    with export_errors_told():
        chosen = set_units(course_at(course, about_course=True), unit)
        print(write_bytes(gradescope_zip(chosen, index=index), zip, force=force))
    print(f"Upload it to an assignment worth {score(points_of(chosen))} points; README.txt in it says how.")
    print("It holds the solutions and the hidden checks: keep it from learners.")


@autograder.command("github")
def github(
    folder: Annotated[Path, typer.Argument(help="The repository that learners' ones are made from.", metavar="DIR")],
    repository: Annotated[
        str, typer.Option("--repository", help="The private repository with the course.", metavar="OWNER/NAME")
    ],
    ref: Annotated[str, typer.Option("--ref", help="The course's branch, tag or commit.")] = "main",
    unit: Annotated[
        list[str] | None,
        typer.Option("--unit", help="Only this unit, by its folder; may be given again.", metavar="FOLDER"),
    ] = None,
    force: Force = False,
) -> None:
    """Write the workflow that grades a learner's repository on GitHub at every push."""
    from grader.autograders.github import PATH, TOKEN, workflow
    from grader.exports.writing import write_bytes

    with export_errors_told():
        print(write_bytes(workflow(repository, ref, unit or ()).encode(), folder / PATH, force=force))
    print(f"The secret {TOKEN} has to hold a token that can read {repository}; the file's first lines say more.")
