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
Hints = Annotated[
    Path | None,
    typer.Option(
        "--hints", help="A CSV with columns learner, exercise and hints: how many were opened.", metavar="FILE"
    ),
]
Raw = Annotated[bool, typer.Option("--raw", help="Leave out the course's policy: the points as they were graded.")]
PseudonymsToo = Annotated[
    bool,
    typer.Option(
        "--pseudonyms",
        help="Call learners by pseudonyms, always the same in OUT; files go into OUT/pseudonymous, who is who into a "
        "table apart.",
    ),
]


def tell_who_is_who(out: Path) -> None:
    """Write down who bears which pseudonym in OUT, and say where."""
    from grader.classroom.results_file import class_of, read_results
    from grader.pseudonyms import Pseudonyms

    names = [each.name for each in read_results(out).learners]
    path = Pseudonyms(out).write_table(class_of(out, names))
    print(f"Who is who: {path} (for you alone)")


def times_given(
    handed_in: Path | None,
    extensions: Path | None,
    hints: Path | None,
    raw: bool,
    course: Course,
    *,
    attempts: bool = False,
) -> KeptTimes:
    """What the CSVs say.

    attempts: whether learners have several, so that hand-in times also say which is the last.

    Raises UsageError when they would change nothing, TimesError or HintsError when one says what cannot be used.
    """
    from grader.classroom.kept_times import KeptTimes
    from grader.classroom.opened_hints import read_hints
    from grader.classroom.times import read_extensions, read_hand_ins

    of_attempts = handed_in if attempts else None
    given = [option for option, path in (("--handed-in", handed_in), ("--extensions", extensions)) if path]
    useless = [option for option in given if not (of_attempts and option == "--handed-in")]
    if useless and raw:
        raise UsageError(f"With --raw nobody is late: leave out {' and '.join(useless)}.")
    if useless and not course.policy.due:
        raise UsageError(f"course.yml gives no due dates, so there is no use for {' and '.join(useless)}.")
    if hints and raw:
        raise UsageError("With --raw hints cost nothing: leave out --hints.")
    if hints and not course.policy.hints_cost_points:
        raise UsageError("In course.yml hints cost nothing (hints_cost_points), so there is no use for --hints.")
    return KeptTimes.of(
        read_hand_ins(handed_in, course, attempts=attempts) if handed_in else None,
        read_extensions(extensions, course) if extensions else None,
        read_hints(hints, course) if hints else None,
    )


def final_records(out: Path, course: Course, times: KeptTimes, *, raw: bool) -> list[str]:
    """Make the records in OUT what counts; sentences for the person who grades. Raises as what it calls."""
    from grader.classroom.attempts import graded_in
    from grader.classroom.chosen_attempts import choose_attempts
    from grader.classroom.final_points import apply_policy, take_away_policy

    if graded_in(out) != out:
        return choose_attempts(out, course, times, raw=raw)
    return take_away_policy(out) if raw else apply_policy(out, course, times)
