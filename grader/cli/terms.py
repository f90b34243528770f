"""What commands share: choice of course, level and seed, progress bars, and options for the policy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS, LEVELS, Level, exposed

from .completing import exercise_ids, levels
from .endings import UsageError
from .expected import demand_course

if TYPE_CHECKING:
    from rich.console import Console

    from grader.classroom.kept_times import KeptTimes
    from grader.course import Course, Unit

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
Exempt = Annotated[
    Path | None,
    typer.Option(
        "--exempt",
        help="A CSV with columns learner, exercise (or unit) and maybe reason: which do not count for this learner.",
        metavar="FILE",
    ),
]
Raw = Annotated[bool, typer.Option("--raw", help="Do not apply the course's policy: report the points as graded.")]
PseudonymsToo = Annotated[
    bool,
    typer.Option(
        "--pseudonyms",
        help="Replace names by pseudonyms, always the same in OUT; files go into OUT/pseudonymous, and a table apart "
        "says who is who.",
    ),
]


def tell_who_is_who(out: Path) -> None:
    """Write the table of pseudonyms in OUT, and print its path."""
    from grader.classroom.pseudonyms import Pseudonyms
    from grader.classroom.results_file import class_of, read_results

    names = [each.name for each in read_results(out).learners]
    path = Pseudonyms(out).write_table(class_of(out, names))
    print(f"Who is who: {path} (for you alone)")


def times_given(
    handed_in: Path | None,
    extensions: Path | None,
    hints: Path | None,
    exempt: Path | None,
    raw: bool,
    course: Course,
    *,
    attempts: bool = False,
) -> KeptTimes:
    """Read the CSVs of the options.

    attempts: whether learners have several attempts, so that hand-in times also decide which is the last.

    Raises UsageError when they would have no effect; TimesError, HintsError or ExemptionsError for an invalid CSV.
    """
    from grader.classroom.exemptions import read_exemptions
    from grader.classroom.kept_times import KeptTimes, read_hints
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
    if exempt and raw:
        raise UsageError("With --raw everything counts: leave out --exempt.")
    if hints and not course.policy.hints_cost_points:
        raise UsageError("In course.yml hints cost nothing (hints_cost_points), so there is no use for --hints.")
    return KeptTimes.of(
        read_hand_ins(handed_in, course, attempts=attempts) if handed_in else None,
        read_extensions(extensions, course) if extensions else None,
        read_hints(hints, course) if hints else None,
        read_exemptions(exempt, course) if exempt else None,
    )


def final_records(out: Path, course: Course, times: KeptTimes, *, raw: bool) -> list[str]:
    """Apply policy or raw points to the records in OUT; returns sentences for the user.

    Raises what the functions it calls raise.
    """
    from grader.classroom.attempts import choose_attempts, graded_in
    from grader.classroom.final_points import apply_policy, take_away_policy

    if graded_in(out) != out:
        return choose_attempts(out, course, times, raw=raw)
    return take_away_policy(out) if raw else apply_policy(out, course, times)


Isolation = Annotated[
    str,
    typer.Option(
        "--isolation",
        help=f"How learners' code is isolated: {', '.join(LEVELS)}, or best.",
        metavar="LEVEL",
        autocompletion=levels,
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of the hidden inputs; a fresh one by default.", min=0)]
CourseFile = Annotated[
    Path | None,
    typer.Option(
        "--course", help="The course.yml, or its folder; that of your workspace by default, or the installed one."
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Only this exercise; may be given again.", metavar="ID", autocompletion=exercise_ids),
]
Units = Annotated[
    list[str] | None,
    typer.Option(
        "--unit", help="Only this unit's exercises, by its folder or number; may be given again.", metavar="UNIT"
    ),
]


def course_at(given: Path | None, *, may_be_bundle: bool = False, about_course: bool = False) -> Course:
    """The named course, that of the workspace around, or the one this program was installed with.

    A course.yml that is only found nearby is never used.

    about_course: the command works on the course in the current folder; so an unregistered course there is an error,
    and for other commands only a remark.

    Raises CourseError when there is none; UsageError for a learner's bundle, which has no solutions, unless
    may_be_bundle.
    """
    course = _course_at(given, about_course=about_course)
    if course.is_bundle and not may_be_bundle:
        raise UsageError(
            f"{course.root} is a learner's bundle, without solutions: this needs the whole course "
            "(--course says where it is)."
        )
    return course


def _course_at(given: Path | None, *, about_course: bool) -> Course:
    from grader.course import load_course
    from grader.course.named import installed_course, named_around, no_course, refuse_unnamed, unnamed_around

    if given is not None:
        demand_course(given)
        return load_course(given / "course.yml" if given.is_dir() else given)
    if about_course:
        refuse_unnamed(Path.cwd())
    named = named_around(Path.cwd())
    used = named.course if named else installed_course()
    if used is None:
        raise no_course()
    if not about_course and (ignored := unnamed_around(Path.cwd())):
        print(f"The course is {used}; what lies in {ignored} names none (--course does).", file=sys.stderr)
    return load_course(used)


def level_called(name: str, *, chosen_aloud: bool) -> Level:
    """The level with this name; "best" is the strongest on this machine. Raises UsageError for any other name."""
    if name == "best":
        level = strongest_level()
        if level != "full":
            print(f"Isolation here is {level}, not full: see `kata doctor`.", file=sys.stderr)
        return level
    for level in LEVELS:
        if level == name:
            if chosen_aloud and level not in GRADING_LEVELS:
                print(f"Isolation {level} is no wall: only for your own work.", file=sys.stderr)
            return level
    raise UsageError(f"There is no isolation level {name!r}: take {', '.join(LEVELS)} or best.")


def seed_or_fresh(given: int | None, course: Course) -> int:
    """The given seed, or a random one.

    Raises UsageError for one that is too large for a record, GraderBroken for one that a bundle has no plans for.
    """
    from grader.judge.seeds import seed_for
    from grader.record import MAX_SEED

    if given is not None and given > MAX_SEED:
        raise UsageError(f"The seed must be at most {MAX_SEED}.")
    return seed_for(course, given)


def refuse_unknown(course: Course, ids: Sequence[str] | None) -> None:
    """Raise CourseError for a name that is no exercise."""
    for id in ids or ():
        course.exercise(id)


def units_called(course: Course, names: Sequence[str] | None) -> list[Unit]:
    """The units with these folders or numbers, in course order. Raises UsageError for an unknown one."""
    for name in names or ():
        if not any(_is_called(unit, name) for unit in course.units):
            raise UsageError(f"There is no unit {name!r}: take {', '.join(unit.folder for unit in course.units)}.")
    return [unit for unit in course.units if any(_is_called(unit, name) for name in names or ())]


def _is_called(unit: Unit, name: str) -> bool:
    number = unit.folder.partition("_")[0]
    return unit.folder == name.rstrip("/") or (name.isascii() and name.isdigit() and int(number) == int(name))


def chosen_exercises(course: Course, only: Sequence[str] | None, units: Sequence[str] | None) -> list[str]:
    """The exercises chosen by id or unit; empty for all. Raises CourseError, UsageError."""
    refuse_unknown(course, only)
    named = units_called(course, units)
    tell_units(course, named)
    whole = [exercise.id for unit in named for exercise in unit.exercises]
    return list(dict.fromkeys([*whole, *(only or ())]))


def set_units(course: Course, names: Sequence[str] | None) -> Course:
    """The course with only these units, all if none is named; prints each on standard error."""
    from grader.course.part import part_of

    units = units_called(course, names)
    tell_units(course, units)
    return part_of(course, [unit.folder for unit in units]) if units else course


def tell_units(course: Course, units: Sequence[Unit]) -> None:
    """Print each unit's number of exercises, points and due date."""
    from grader.policy.adjusting import moment
    from grader.policy.rules import deadlines
    from grader.render.wording import counted, score

    due = deadlines(course) if units else {}
    for unit in units:
        worth = score(sum(exercise.points for exercise in unit.exercises))
        when = f", due {moment(due[unit.folder])}" if unit.folder in due else ""
        extra = ", extra credit" if unit.extra_credit else ""
        print(
            f"{unit.folder}: {counted(len(unit.exercises), 'exercise')}, {worth} points{extra}{when}.", file=sys.stderr
        )


def refuse_exposed(level: Level, *places: Path) -> None:
    """Raise UsageError for the first of these paths that the sandbox shows to learners' code."""
    for place in places if level in GRADING_LEVELS else ():
        if shown := exposed(place):
            raise UsageError(
                f"Learners' code can read {shown}, and so {place} in it: move it elsewhere. No grade was recorded."
            )


def titles_of(course: Course) -> dict[str, str]:
    """Each exercise's title by its id."""
    return {exercise.id: exercise.title for exercise in course.exercises}


def units_of(course: Course) -> list[tuple[str, list[str]]]:
    """Each unit's title with its exercise ids."""
    return [(unit.title, [exercise.id for exercise in unit.exercises]) for unit in course.units]


def console() -> Console:
    """A rich console for standard output."""
    from rich.console import Console

    return Console()


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error when that is a terminal; call `advance(name)` after each item."""
    if not sys.stderr.isatty():
        yield lambda name: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda name: progress.advance(task)
