"""What commands share: options and their completion, choice of course, level and seed, progress bars."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Context, Option

from grader.errors import KataError
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS, LEVELS, Level

if TYPE_CHECKING:
    from rich.console import Console

    from grader.course import Course, Unit

MINUTE = 60
Choices = list[tuple[str, str]]
"""Possible values, each with a short description."""


# --- completion in the shell ------------------------------------------------------------------------------------------


def exercise_ids(context: Context, incomplete: str) -> Choices:
    """The exercises whose ids begin with the text."""
    return _beginning(incomplete, ((each.id, each.title) for course in _course(context) for each in course.exercises))


def exercises_and_units(context: Context, incomplete: str) -> Choices:
    """The exercises and units whose names begin with the text."""
    return [*exercise_ids(context, incomplete), *unit_folders(context, incomplete)]


def unit_folders(context: Context, incomplete: str) -> Choices:
    """The units whose folders begin with the text."""
    return _beginning(incomplete, ((unit.folder, unit.title) for course in _course(context) for unit in course.units))


def levels_beginning(incomplete: str) -> Choices:
    """The isolation levels that begin with the text."""
    return _beginning(incomplete, ((level, "") for level in (*LEVELS, "best")))


def _beginning(incomplete: str, choices: Iterator[tuple[str, str]]) -> Choices:
    return [choice for choice in choices if choice[0].startswith(incomplete)]


def _course(context: Context) -> Iterator[Course]:
    """The course that the command would use; none if there is none or it is invalid, which the command reports.

    It loads nothing heavy.
    """
    from grader.course import CourseError, load_course
    from grader.course.installed import course_file

    given = context.params.get("course")
    try:
        yield load_course(course_file(None if given is None else Path(given)))
    except (CourseError, OSError):
        return


# --- options ----------------------------------------------------------------------------------------------------------

Isolation = Annotated[
    str,
    Option(
        help=f"How learners' code is isolated: {', '.join(LEVELS)}, or best.",
        metavar="LEVEL",
        autocompletion=levels_beginning,
    ),
]
Seed = Annotated[int | None, Option(help="Seed of the hidden inputs; a fresh one by default.", min=0)]
ID_HELP = "The exercise: its id, title, or 1/3 for unit 1's third."
COURSES = "The course.yml, or its folder; the installed course by default, or the one in KATA_COURSE."
CourseFile = Annotated[Path | None, Option("--course", help=COURSES)]
ONLY = "Only this exercise, of those of --unit if that is given; may be given again."
Only = Annotated[list[str] | None, Option(help=ONLY, metavar="ID", autocompletion=exercise_ids)]
UNITS = "Only this unit's exercises, by its folder or number; may be given again."
Units = Annotated[list[str] | None, Option("--unit", help=UNITS, metavar="UNIT")]


def course_at(given: Path | None, *, to_practise: bool = False) -> Course:
    """The named course, or the installed one; see `grader.course.installed`.

    A course.yml around the current folder is mentioned, so that no author takes it for the one that is used.
    Raises CourseError when there is none; KataError for one without answers, which is enough only to_practise.
    """
    from grader.course import FILE_NAME, load_course
    from grader.course.installed import course_file

    course = load_course(course_file(given))
    if given is None:
        here = Path.cwd().resolve()
        around = next((each for each in (here, *here.parents) if os.path.isfile(each / FILE_NAME)), None)
        if around not in (None, course.root.resolve()):
            print(f"The course is {course.root}, not the one in this folder; --course names another.", file=sys.stderr)
    if not course.has_answers and not to_practise:
        needed = "this needs the whole course (--course says where it is)"
        raise KataError(f"{course.root} is a course without answers: {needed}.")
    return course


def course_of_class(out: Path, given: Path | None) -> Course:
    """The named course, or that with which the class in OUT was graded. Raises KataError as `course_at` does."""
    from grader.classroom.results import course_of

    return course_at(given or course_of(out))


def best_level() -> Level:
    """The strongest level on this machine; one that is not full is said."""
    level = strongest_level()
    if level != "full":
        print(f"Isolation here is {level}, not full: see `kata doctor`.", file=sys.stderr)
    return level


def level_called(name: str, *, is_for_grading: bool) -> Level:
    """The level with this name, or the best one. Raises KataError for any other name.

    is_for_grading: whether a level that is no wall is remarked.
    """
    if name == "best":
        return best_level()
    for level in LEVELS:
        if level == name:
            if is_for_grading and level not in GRADING_LEVELS:
                print(f"Isolation {level} is no wall: only for your own work.", file=sys.stderr)
            return level
    raise KataError(f"There is no isolation level {name!r}: take {', '.join(LEVELS)} or best.")


def seed_or_fresh(given: int | None, course: Course) -> int:
    """The given seed, or a random one.

    Raises KataError for one that is too large for a record, GraderBroken for one that there are no plans for.
    """
    from grader.judge.seeds import seed_for
    from grader.record import MAX_SEED

    if given is not None and given > MAX_SEED:
        raise KataError(f"The seed must be at most {MAX_SEED}.")
    return seed_for(course, given)


def units_called(course: Course, names: Sequence[str] | None) -> list[Unit]:
    """The units with these folders or numbers, in course order. Raises KataError for an unknown one."""
    for name in names or ():
        if not any(unit.is_called(name) for unit in course.units):
            raise KataError(f"There is no unit {name!r}: take {', '.join(unit.folder for unit in course.units)}.")
    return [unit for unit in course.units if any(unit.is_called(name) for name in names or ())]


def chosen_exercises(course: Course, only: Sequence[str] | None, units: Sequence[str] | None) -> list[str]:
    """The exercises chosen by id, or by unit; empty for all. Raises CourseError, KataError."""
    single = list(dict.fromkeys(course.exercise(name).id for name in only or ()))
    named = units_called(course, units)
    whole = [exercise.id for unit in named for exercise in unit.exercises]
    if named and (strangers := [id for id in single if id not in whole]):
        raise KataError(
            f"Not in {', '.join(unit.folder for unit in named)}: {', '.join(strangers)}. Name its unit too."
        )
    if single:
        return single
    tell_units(course, named)
    return whole


def chosen_part(course: Course, only: Sequence[str] | None, units: Sequence[str] | None) -> Course:
    """The course with only the exercises chosen by id or unit, all if none is. Raises CourseError, KataError."""
    from grader.course.model import part_of

    chosen = chosen_exercises(course, only, units)
    return part_of(course, chosen) if chosen else course


def tell_units(course: Course, units: Sequence[Unit]) -> None:
    """Print each unit's number of exercises, points and due date."""
    if not units:
        return
    from grader.classroom.final_points import due_dates, moment
    from grader.render.wording import counted, score

    due = due_dates(course)
    for unit in units:
        exercises = counted(len(unit.exercises), "exercise")
        worth = score(sum(exercise.points for exercise in unit.exercises))
        extra = ", extra credit" if unit.extra_credit else ""
        when = f", due {moment(due[unit.folder])}" if unit.folder in due else ""
        print(f"{unit.folder}: {exercises}, {worth} points{extra}{when}.", file=sys.stderr)


# --- what is shown ----------------------------------------------------------------------------------------------------


def console() -> Console:
    """A rich console for standard output."""
    from rich.console import Console

    return Console()


def open_page(path: Path) -> None:
    """Open a page in the browser, or say that there is none."""
    import webbrowser

    if not webbrowser.open(path.resolve().as_uri()):
        print("No browser could be opened here: open the file in yours.")


@contextmanager
def instructors_extra() -> Iterator[None]:
    """Print a sentence if the packages for notebooks are not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise KataError(
            f"{error.name} is not installed; notebooks need the instructor's extra: "
            "`make instructor` in a copy of the course, or pip install '.[instructor]' there (Python 3.11 or newer)."
        ) from None


@contextmanager
def progress(what: str, total: int, *, with_rate: bool = False) -> Iterator[Callable[..., None]]:
    """A progress bar on standard error when that is a terminal; call `advance(name, was_done=True)` after each item.

    An item that needed nothing to be done is taken off the total, so that rate and remaining time are right.
    """
    if not sys.stderr.isatty():
        yield lambda name, was_done=True: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(TextColumn):
        def render(self, task: Task) -> Text:
            return Text(rate_in_words(task.speed))

    rate = [Rate("")] if with_rate else []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *rate, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task, left = progress.add_task(what, total=total), total

        def advance(name: str, was_done: bool = True) -> None:
            nonlocal left
            left -= not was_done
            progress.update(task, advance=int(was_done), total=left)

        yield advance


def rate_in_words(speed: float | None) -> str:
    """Items per second, in words; empty while unknown."""
    if not speed:
        return ""
    return f"{speed:.1f} a second" if speed >= 1 else f"{speed * MINUTE:.1f} a minute"
