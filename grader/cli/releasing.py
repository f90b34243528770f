"""`kata release`: the learner's bundle."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .endings import UsageError
from .terms import CourseFile, course_at


@app.command()
def release(
    out: Annotated[Path, typer.Option("--out", help="A new folder, or a file that ends in .zip.", metavar="DIR|ZIP")],
    force: Annotated[bool, typer.Option("--force", help="Write over a zip that is there.")] = False,
    course: CourseFile = None,
) -> None:
    """Make the learner's bundle: lessons, stubs and visible checks, without any answers."""
    chosen = course_at(course, about_course=True)
    from grader.release.errors import ReleaseError
    from grader.release.writing import refuse_taken

    try:
        refuse_taken(out, force=force)
        from grader.release.bundle import make_bundle
        from grader.release.writing import write_bundle

        bundle = make_bundle(chosen, _say)
        write_bundle(bundle, out)
    except ReleaseError as error:
        raise UsageError(str(error)) from None
    print(
        f"{out}: {len(chosen.exercises)} exercises with {bundle.visible} visible checks; "
        f"{bundle.hidden} hidden checks are named, and stay here."
    )
    print("Learners install it as its README.md says, and work in a folder of their own: kata init DIR")


def _say(step: str) -> None:
    if sys.stderr.isatty():
        print(f"{step} ...", file=sys.stderr)
