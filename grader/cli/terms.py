"""What commands share: options and their completion, the choice of course, level and exercises, progress bars."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from typer import Context, Option

from grader.course import FILE_NAME, Course, CourseError, Unit, load_course
from grader.course.installed import course_file
from grader.course.model import part_of
from grader.errors import KataError
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS, LEVELS, Level

if TYPE_CHECKING:
    from rich.console import Console

Choices = list[tuple[str, str]]
"""Possible values, each with a short description."""


# --- completion in the shell ------------------------------------------------------------------------------------------


def exercise_ids(context: Context, incomplete: str) -> Choices:
    """The exercises whose ids begin with the text."""
    exercises = [each for unit in _units(context) for each in unit.exercises]
    return [(each.id, each.title) for each in exercises if each.id.startswith(incomplete)]


def exercises_and_units(context: Context, incomplete: str) -> Choices:
    """The exercises and units whose names begin with the text."""
    return [*exercise_ids(context, incomplete), *unit_folders(context, incomplete)]


def unit_folders(context: Context, incomplete: str) -> Choices:
    """The units whose folders begin with the text."""
    return [(unit.folder, unit.title) for unit in _units(context) if unit.folder.startswith(incomplete)]


def _units(context: Context) -> Sequence[Unit]:
    """Those of the course that the command would use; none if it is invalid, which the command reports."""
    given = context.params.get("course")
    try:
        return load_course(course_file(None if given is None else Path(given))).units
    except (CourseError, OSError):
        return ()


# --- options ----------------------------------------------------------------------------------------------------------

ISOLATIONS = f"How learners' code is isolated: {', '.join(LEVELS)}, or best."
Isolation = Annotated[str, Option(help=ISOLATIONS, metavar="LEVEL")]
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
    """The named course, or that with which the class in OUT was graded.

    Raises KataError as `course_at` does, and where no class was graded into OUT.
    """
    from grader.classroom.store import DATABASE, reading

    if not (out / DATABASE).is_file():
        raise KataError(f"{out} holds no {DATABASE}. Expected is the OUT of: kata grade-class SUBMISSIONS --out OUT")
    with reading(out) as store:
        used = given or store.runs[-1].course
    if given is None and not used.exists():
        gone = f"{out} was graded with the course {used}, which is not there any more"
        raise KataError(f"{gone}: --course says where.")
    return course_at(used)


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
    demand_one_of("isolation level", name, (*LEVELS, "best"))
    if is_for_grading and name not in GRADING_LEVELS:
        print(f"Isolation {name} is no wall: only for your own work.", file=sys.stderr)
    return cast("Level", name)


def units_called(course: Course, names: Sequence[str] | None) -> list[Unit]:
    """The units with these folders or numbers, in course order. Raises KataError for an unknown one."""
    for name in names or ():
        if not any(unit.is_called(name) for unit in course.units):
            demand_one_of("unit", name, [unit.folder for unit in course.units])
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
    return single or whole


def chosen_part(course: Course, only: Sequence[str] | None, units: Sequence[str] | None) -> Course:
    """The course with only the exercises chosen by id or unit, all if none is. Raises CourseError, KataError."""
    chosen = chosen_exercises(course, only, units)
    return part_of(course, chosen) if chosen else course


def demand_one_of(what: str, name: str, choices: Collection[str]) -> None:
    """Raise KataError for a name that is not among the choices; `what` it should be the name of is said."""
    if name not in choices:
        raise KataError(f"There is no {what} {name!r}: take {', '.join(choices)}.")


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
def progress(what: str, total: int) -> Iterator[Callable[..., None]]:
    """A progress bar on standard error when that is a terminal; call what it yields after each item."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=total)
        yield lambda *_: shown.advance(task)
