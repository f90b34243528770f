"""The options by which commands are told what a course's policy needs to know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .endings import UsageError

if TYPE_CHECKING:
    from grader.classroom.kept_times import KeptTimes
    from grader.course import Course

HandedIn = Annotated[
    Path | None,
    typer.Option("--handed-in", help="A CSV with columns learner, time and maybe unit: who is late.", metavar="FILE"),
]
Extensions = Annotated[
    Path | None,
    typer.Option("--extensions", help="A CSV with columns learner, unit and until: who has more time.", metavar="FILE"),
]
Raw = Annotated[bool, typer.Option("--raw", help="Leave out the course's policy: the points as they were graded.")]


def times_given(handed_in: Path | None, extensions: Path | None, raw: bool, course: Course) -> KeptTimes:
    """What the two CSVs say.

    Raises UsageError when they would change nothing, TimesError when one says what cannot be used.
    """
    from grader.classroom.kept_times import KeptTimes
    from grader.classroom.times import read_extensions, read_hand_ins

    given = [option for option, path in (("--handed-in", handed_in), ("--extensions", extensions)) if path]
    if given and raw:
        raise UsageError(f"With --raw nobody is late: leave out {' and '.join(given)}.")
    if given and not course.policy.due:
        raise UsageError(f"course.yml gives no due dates, so there is no use for {' and '.join(given)}.")
    return KeptTimes.of(
        read_hand_ins(handed_in, course) if handed_in else None,
        read_extensions(extensions, course) if extensions else None,
    )
