"""`kata release`, the learner's bundle, and `kata autograder`, the grader packed for Gradescope and GitHub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .endings import UsageError
from .teach_export import Force
from .terms import CourseFile, Units, course_at, progress, set_units


@app.command(rich_help_panel=TEACH)
def release(
    out: Annotated[Path, typer.Option("--out", help="A new folder, or a file that ends in .zip.", metavar="DIR|ZIP")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing zip.")] = False,
    with_solutions: Annotated[
        bool,
        typer.Option("--with-solutions", help="Put the answers in, sealed: `kata solution` opens one after passing."),
    ] = False,
    seeds: Annotated[
        list[int] | None,
        typer.Option("--seed", min=0, help="A seed to plan for; may be given again. A fresh one by default."),
    ] = None,
    unit: Units = None,
    course: CourseFile = None,
) -> None:
    """Make the learner's bundle: lessons, stubs, checks and expected answers, without any solutions."""
    chosen = set_units(course_at(course), unit)
    from grader.record import MAX_SEED

    if seeds and max(seeds) > MAX_SEED:
        raise UsageError(f"A seed must be at most {MAX_SEED}.")
    from grader.release.bundle import fresh_seeds, make_bundle, refuse_taken, write_bundle

    refuse_taken(out, force=force)
    planned = list(dict.fromkeys(seeds or fresh_seeds()))
    with progress("planning", len(chosen.exercises)) as advance:
        bundle = make_bundle(chosen, planned, with_solutions=with_solutions, advance=advance)
    write_bundle(bundle, out)
    from grader.render.wording import counted

    exercises = counted(len(chosen.exercises), "exercise")
    print(f"{out}: {exercises} with all of their {bundle.checks} checks, for {counted(len(planned), 'seed')}.")
    print("Learners install it as its README.md says, and work in a folder of their own: kata init ~/attention")


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
    from grader.formats.export import write_new
    from grader.release.gradescope_zip import gradescope_zip, points_of
    from grader.render.wording import score

    chosen = set_units(course_at(course), unit)
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
    unit: Annotated[
        list[str] | None,
        typer.Option("--unit", help="Only this unit, by its folder; may be given again.", metavar="FOLDER"),
    ] = None,
    force: Force = False,
) -> None:
    """Write the workflow that grades a learner's repository on GitHub at every push."""
    from grader.formats.export import write_new
    from grader.release.github_workflow import PATH, TOKEN, workflow

    print(write_new(folder / PATH, workflow(repository, ref, unit or ()).encode(), force=force))
    print(f"The secret {TOKEN} has to hold a token that can read {repository}; the file's first lines say more.")
