"""`kata export`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .endings import EXIT_BAD_INPUT, UsageError, stop
from .expected import demand_results
from .terms import (
    CourseFile,
    PseudonymsToo,
    Units,
    course_at,
    tell_units,
    tell_who_is_who,
    titles_of,
    units_called,
    units_of,
)

if TYPE_CHECKING:
    from grader.course import Course
    from grader.formats.export import ExportTerms, File
    from grader.formats.graded import Graded
    from grader.formats.part import Part
    from grader.formats.roster import Roster

SHOWN = 12
"""The most learners that a warning names."""

WITH_NAMES = ("canvas", "moodle", "gradebook")
"""Formats for programs that find learners by their names or ids."""

Force = Annotated[bool, typer.Option("--force", help="Overwrite what is there.")]


@app.command(rich_help_panel=TEACH)
def export(
    out: Annotated[
        Path,
        typer.Argument(help="Results of `kata grade-class`, or a file of `kata grade --json`.", metavar="OUT"),
    ],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            help="csv, canvas, moodle, junit, gradescope, github, or gradebook for nbgrader's.",
            metavar="FORMAT",
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Where to write; beside the results by default, - for standard output."),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            "--by", help="Rows (csv) or columns (canvas, moodle) by learner, unit or exercise.", metavar="WHAT"
        ),
    ] = "learner",
    roster: Annotated[
        Path | None, typer.Option("--roster", help="A CSV with names and ids, such as Canvas or Moodle export it.")
    ] = None,
    bom: Annotated[
        bool,
        typer.Option("--bom/--no-bom", help="Begin a csv with a byte order mark, so that Excel reads it as UTF-8."),
    ] = True,
    unit: Units = None,
    pseudonyms: PseudonymsToo = False,
    force: Force = False,
    course: CourseFile = None,
) -> None:
    """Write a graded class for other programs: spreadsheets, gradebooks, CI."""
    from grader.formats.export import File
    from grader.formats.known import FORMATS, GRADEBOOK

    with export_errors_told():
        from grader.formats.graded import Graded

        if format not in (*FORMATS, GRADEBOOK):
            raise UsageError(f"There is no format {format!r}: take {', '.join(FORMATS)} or {GRADEBOOK}.")
        if pseudonyms:
            _refuse_names(format, roster)
        if not out.is_file():
            demand_results(out, f"kata export {{}} --format {format}")
        graded = Graded(out, _part(unit, course), by_pseudonyms=pseudonyms)
        _warn(graded)
        known = _roster(roster)
        torn = _torn(graded, known)
        if format == GRADEBOOK:
            _fill_gradebook(graded, to, known, force, course)
            refuse_torn(torn)
            return
        terms = _terms(by, known, bom and to != Path("-"), course)
        chosen = FORMATS[format]
        made = chosen.files(graded, terms)
        if chosen.folder and graded.is_class:
            _write_many(made, to or graded.target / chosen.folder, force)
        else:
            file = next(made)
            _write_one(File(chosen.single or file.name, file.parts), to, graded, force)
        _warn_of_zeros(graded, course)
        if pseudonyms:
            tell_who_is_who(out)
        refuse_torn(torn)


def _part(names: list[str] | None, course: Path | None) -> Part | None:
    """The units to export; None for everything that was graded."""
    if not names:
        return None
    from grader.formats.part import Part

    chosen = course_at(course)
    units = units_called(chosen, names)
    tell_units(chosen, units)
    return Part.of(units)


def _warn_of_zeros(graded: Graded, course: Path | None) -> None:
    """Warn of units that nobody has handed in: they may not be set yet."""
    nothing = graded.summary.nothing_of
    found = _course(course, needed=False) if nothing else None
    if found is None or len(nothing) == len(graded.summary.worth):
        return
    whole = {
        unit.folder: {exercise.id for exercise in unit.exercises} & set(graded.summary.worth) for unit in found.units
    }
    if unset := [folder for folder, ids in whole.items() if ids and ids <= nothing]:
        rest = [folder for folder, ids in whole.items() if ids and folder not in unset]
        _say(
            f"Nobody has handed in anything of {_named(unset)}, and that counts as zeros. If it is not set yet, "
            f"name what is: {' '.join(f'--unit {folder}' for folder in rest)}."
        )


def _refuse_names(format: str, roster: Path | None) -> None:
    """Raise UsageError for formats and options that need the learners' identities."""
    if roster is not None:
        raise UsageError("With --pseudonyms nobody is looked up: leave out --roster.")
    if format in WITH_NAMES:
        raise UsageError(
            f"The format {format} is for a program that knows learners by name: --pseudonyms goes with the others, "
            "such as: kata export OUT --format csv --pseudonyms"
        )


def _torn(graded: Graded, roster: Roster | None) -> list[str]:
    """Sentences about learners who match the same learner of the roster."""
    from grader.formats.roster import people_of

    torn = people_of([*graded.summary.learners, *graded.absent], roster).torn
    return [f"{_named(list(names))} would all be {name} of the roster, so none is." for name, names in torn.items()]


def refuse_torn(torn: list[str]) -> None:
    """Exit with an error status if learners could not be told apart; all others are exported by now."""
    if torn:
        stop(" ".join(torn), EXIT_BAD_INPUT)


def _write_one(file: File, to: Path | None, graded: Graded, force: bool) -> None:
    from grader.formats.export import write_file

    if to == Path("-"):
        sys.stdout.reconfigure(encoding="utf-8", newline="")  # type: ignore[union-attr]
        sys.stdout.writelines(file.parts)
        return
    path = to / file.name if to and to.is_dir() else to or graded.target / file.name
    print(write_file(file, path, force=force))


def _write_many(files: Iterator[File], to: Path, force: bool) -> None:
    from grader.formats.export import write_files

    if to == Path("-"):
        raise UsageError("This format has a file a learner, so it needs a folder: --to DIR.")
    count = sum(1 for _ in write_files(files, to, force=force))
    print(f"{count} files in {to}")


def _fill_gradebook(graded: Graded, to: Path | None, roster: Roster | None, force: bool, course: Path | None) -> None:
    if to is None:
        raise UsageError("Say which gradebook: --to DIR, the course folder that `kata notebooks` made.")
    try:
        from grader.notebooks.export import gradebook_at, write_gradebook
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed, and the gradebook needs it: make instructor, in a clone of the course, or "
            "pip install nbgrader (Python 3.11 or newer)."
        ) from None
    path = gradebook_at(to)
    written = write_gradebook(graded, course_at(course), path, roster, force=force)
    if written.left_out:
        from grader.render.safe_text import safe_line

        _say(f"Left out, since the roster does not list them: {', '.join(map(safe_line, written.left_out))}.")
    if uncounted := [each.learner.shown for each in graded if any(one.uncounted for one in each.record.exercises)]:
        _say(
            "nbgrader excuses nobody from an exercise or a unit, so its sums count all that was graded of "
            f"{_named(uncounted)}: take their marks from --format csv."
        )
    print(f"{written.scores} scores of {written.learners} learners are in {path}")


def _terms(by: str, roster: Roster | None, bom: bool, course: Path | None) -> ExportTerms:
    from grader.formats.export import ExportTerms
    from grader.formats.graded import BY

    for known in BY:
        if by == known:
            found = _course(course, needed=by == "unit")
            titles, units = (titles_of(found), units_of(found)) if found else ({}, [])
            return ExportTerms(known, roster, titles, units, bom, _say)
    raise UsageError(f"There is nothing called {by!r} to export by: take {', '.join(BY)}.")


def _course(given: Path | None, *, needed: bool) -> Course | None:
    """The course, for its titles; without one, ids are shown."""
    from grader.course import CourseError

    try:
        return course_at(given)
    except CourseError:
        if needed or given is not None:
            raise
        return None


def _roster(path: Path | None) -> Roster | None:
    if path is None:
        return None
    from grader.formats.roster import changed_identifiers, read_roster

    roster = read_roster(path)
    if changed := changed_identifiers(roster.people):
        _say(f"Written with an apostrophe in front, since they would be formulas: {', '.join(map(ascii, changed))}.")
    return roster


def _warn(graded: Graded) -> None:
    """Name the learners who have no mark."""
    if failed := [learner.shown for learner in graded.summary.without_mark]:
        _say(f"Without a mark, since the grader itself failed: {_named(failed)}. Grade them again.")
    if graded.summary.is_adjusted and (left := [learner.shown for learner in graded.summary.unadjusted]):
        _say(f"The course's policy is not applied to these yet: {_named(left)}. `kata policy OUT` does it.")
    if disputed := [learner.shown for learner in graded.disputed]:
        _say(f"Without a mark, since several submissions claim to be theirs: {_named(disputed)}.")
    if waiting := [learner.shown for learner in graded.waiting]:
        _say(f"Not graded yet, so not exported: {_named(waiting)}. Go on with `kata grade-class --resume`.")


def _named(names: list[str]) -> str:
    from grader.intake.names import first_few
    from grader.render.safe_text import safe_line

    return first_few(names, SHOWN, shown=safe_line)


def _say(sentence: str) -> None:
    """Print a sentence that may contain learners' names, with control characters made safe."""
    from grader.render.safe_text import visible

    print(visible(sentence), file=sys.stderr)


@contextmanager
def export_errors_told() -> Iterator[None]:
    """Print errors of an export as a sentence."""
    from grader.formats.marks import ExportError

    try:
        yield
    except ExportError as error:
        raise UsageError(str(error)) from None
