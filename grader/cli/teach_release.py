"""`kata release`, the wheel for learners, and `kata autograder`, the grader packed for Gradescope and GitHub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.errors import KataError

from .app import TEACH, app
from .teach_export import Force
from .terms import CourseFile, Only, Units, chosen_part, course_at, progress


@app.command(rich_help_panel=TEACH)
def release(
    out: Annotated[Path, typer.Option("--out", help="The folder for the wheel.", metavar="DIR")],
    with_answers: Annotated[
        bool | None,
        typer.Option(
            "--with-answers/--without-answers", help="Put solutions and known mistakes into it, or only plans."
        ),
    ] = None,
    unit: Units = None,
    only: Only = None,
    course: CourseFile = None,
) -> None:
    """Make the wheel that learners install: the program with the course in it.

    Learners who practise on their own get it --with-answers: it holds all that you have, and `kata solution` shows an
    answer after passing. Those who hand in for marks get it --without-answers: it is as strict, and solutions and
    known mistakes stay with you.
    """
    if with_answers is None:
        raise KataError(
            "Say which: --with-answers for learners who practise on their own, or --without-answers for those who hand "
            "in for marks."
        )
    chosen = chosen_part(course_at(course), only, unit)
    from grader.files import write_file
    from grader.release.learners_wheel import learners_wheel
    from grader.render.wording import counted

    with progress("Planning", len(chosen.exercises)) as advance:
        wheel = learners_wheel(chosen, with_answers=with_answers, advance=advance)
    write_file(out / wheel.name, wheel.content, below=out)
    exercises = counted(len(chosen.exercises), "exercise")
    print(f"{out / wheel.name}: {exercises}, {wheel.checks} checks, {len(wheel.content) / 1e6:.1f} MB.")
    print(f"Learners type: pip install {wheel.name}, then kata init ~/attention")


autograder = typer.Typer(name="autograder", help="Make an autograder for Gradescope or GitHub.", no_args_is_help=True)
app.add_typer(autograder, rich_help_panel=TEACH)


@autograder.command("gradescope")
def gradescope(
    zip: Annotated[Path, typer.Argument(help="The zip to write.", metavar="FILE.zip")],
    index: Annotated[
        str | None, typer.Option("--index", help="One more package index for pip, such as one with a smaller torch.")
    ] = None,
    unit: Units = None,
    only: Only = None,
    force: Force = False,
    course: CourseFile = None,
) -> None:
    """Write a zip for Gradescope's autograder page. It holds solutions and hidden checks: never give it to learners."""
    from grader.formats.export import write_new
    from grader.release.gradescope_zip import gradescope_zip, points_of
    from grader.render.wording import score

    chosen = chosen_part(course_at(course), only, unit)
    print(write_new(zip, gradescope_zip(chosen, index=index), force=force))
    print(f"Upload it to an assignment worth {score(points_of(chosen))} points; README.txt in it says how.")
    print("It holds the solutions and the hidden checks: keep it from learners.")


@autograder.command("github")
def github(
    folder: Annotated[Path, typer.Argument(help="The template of the learners' repositories.", metavar="DIR")],
    repository: Annotated[
        str, typer.Option("--repository", help="The private repository with the course.", metavar="OWNER/NAME")
    ],
    ref: Annotated[str, typer.Option("--ref", help="The course's branch, tag or commit.")] = "main",
    unit: Units = None,
    only: Only = None,
    force: Force = False,
) -> None:
    """Write the workflow that grades a learner's repository on GitHub at every push."""
    from grader.formats.export import write_new
    from grader.release.github_workflow import PATH, TOKEN, workflow

    print(write_new(folder / PATH, workflow(repository, ref, unit or (), only or ()).encode(), force=force))
    print(f"The secret {TOKEN} has to hold a token that can read {repository}; the file's first lines say more.")
