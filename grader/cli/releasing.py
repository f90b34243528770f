"""`kata release`: the learner's bundle."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .endings import UsageError
from .terms import CourseFile, Units, course_at, progress, set_units


class Checks(str, Enum):
    """Which checks a bundle holds."""

    all = "all"
    visible = "visible"


@app.command(rich_help_panel=TEACH)
def release(
    out: Annotated[Path, typer.Option("--out", help="A new folder, or a file that ends in .zip.", metavar="DIR|ZIP")],
    force: Annotated[bool, typer.Option("--force", help="Write over a zip that is there.")] = False,
    checks: Annotated[
        Checks, typer.Option("--checks", help="visible: keep the hidden checks; then nothing counts as passed at home.")
    ] = Checks.all,
    with_solutions: Annotated[
        bool,
        typer.Option("--with-solutions", help="Put the answers in, sealed: `kata solution` opens one after passing."),
    ] = False,
    seeds: Annotated[
        list[int] | None,
        typer.Option("--seed", min=0, help="A seed to plan for; may be given again. Three fresh ones by default."),
    ] = None,
    unit: Units = None,
    course: CourseFile = None,
) -> None:
    """Make the learner's bundle: lessons, stubs, checks and what they expect, without any solutions."""
    chosen = set_units(course_at(course, about_course=True), unit)
    if with_solutions and checks is Checks.visible:
        raise UsageError(
            "--with-solutions needs all checks in the bundle: with --checks visible nothing is passed there."
        )
    from grader.results import MAX_SEED

    if seeds and max(seeds) > MAX_SEED:
        raise UsageError(f"A seed must be at most {MAX_SEED}.")
    from grader.release.errors import ReleaseError
    from grader.release.writing import refuse_taken

    try:
        refuse_taken(out, force=force)
        from grader.release.bundle import Contents, fresh_seeds, make_bundle
        from grader.release.writing import write_bundle

        contents = Contents(tuple(dict.fromkeys(seeds or fresh_seeds())), checks is Checks.all, with_solutions)
        with progress("planning", len(chosen.exercises)) as advance:
            bundle = make_bundle(chosen, contents, advance)
        write_bundle(bundle, out)
    except ReleaseError as error:
        raise UsageError(str(error)) from None
    exercises = len(chosen.exercises)
    if bundle.hidden:
        print(
            f"{out}: {exercises} exercises with {bundle.checks} visible checks; "
            f"{bundle.hidden} hidden checks are named, and stay here."
        )
    else:
        print(f"{out}: {exercises} exercises with all of their {bundle.checks} checks, for {_seeds(contents.seeds)}.")
    print("Learners install it as its README.md says, and work in a folder of their own: kata init DIR --course .")


def _seeds(seeds: tuple[int, ...]) -> str:
    return f"{len(seeds)} seed" + ("s" if len(seeds) > 1 else "")
