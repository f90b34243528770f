"""The formats that `kata export` knows, and how they are written: whole, and never over other files unless asked to.

A new format is one function, named here. nbgrader's gradebook is no file and so none of these. The plain CSV, for
people and their own programs, has a row for each learner, or for each learner and exercise.
"""

from __future__ import annotations

import os
import re
import sys
from codecs import BOM_UTF8  # without it, Excel shows é as Ã©
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from grader.classroom.roster import Learner
from grader.errors import KataError
from grader.files import number_field, text_field, write_output, zip_of
from grader.files import table as as_csv
from grader.record import Record
from grader.render.safe_text import visible
from grader.render.wording import MARKS, change, counted, first_few

from . import canvas, moodle
from .autograding import as_json, github, gradescope, junit
from .results_table import ResultsTable, mark_of, shown_name

STANDARD_OUTPUT = Path("-")
SHOWN = 12
"""The most learners that a sentence names."""
LONGEST = 40
"""The most characters, of up to four bytes each, of a name in that of a file; file systems allow 255 bytes."""

# --- the plain CSV ----------------------------------------------------------------------------------------------------

BY_EXERCISE = "grades-by-exercise.csv"
"""What the file is called with a row for each learner and exercise."""
Cells = list[tuple[str, str | float | None]]
"""A row or a part of one: the title of each column, and what stands in it."""


def csv_lines(table: ResultsTable) -> Iterable[str]:
    """The lines of the file. Raises KataError if it is asked for by unit."""
    if table.options.by == "unit":
        raise KataError("The format csv has a row by learner or by exercise, not by unit.")
    of_record, place = (_of_record, "remark") if table.options.by == "learner" else (_of_exercises, "status")
    has_groups = any(each.group for each in table.learners)
    graded = (
        [*_who(row.learner, has_groups), *cells] for row in table.rows() for cells in of_record(row.record, table)
    )
    first = next(graded)
    titles = [title for title, _ in first]
    nothing = [(title, "handed in nothing" if title == place else None) for title in titles]
    absent = ([*who, *nothing[len(who) :]] for each in table.absent if (who := _who(each, has_groups)))
    rows = ([_field(cell) for _, cell in row] for row in chain([first], graded, absent))
    return (as_csv([row]) for row in chain([titles], rows))


def _field(cell: str | float | None) -> str:
    if isinstance(cell, int):
        return str(cell)  # a seed must keep all digits
    return text_field(visible(cell)) if isinstance(cell, str) else number_field(cell)


def _who(learner: Learner, has_groups: bool) -> Cells:
    id, group = learner.own_id or learner.sis_id or learner.login, [("group", learner.group)] if has_groups else []
    return [("submission", learner.id), ("name", shown_name(learner)), ("id", id), ("email", learner.email), *group]


def _of_record(record: Record, table: ResultsTable) -> Iterator[Cells]:
    failed = [each.id for each in record.exercises if each.status == "error"]
    cells: Cells = [("remark", f"not graded: {', '.join(failed)}" if failed else None)]
    cells += [("points", mark_of(record)), ("max_points", record.counted_max_points)]
    if table.is_adjusted:
        reasons = " ".join(f"{each.reason} ({change(each)})" for each in record.adjustments or ())
        cells += [("graded_points", record.points if record.complete else None)]
        cells += [("graded_max_points", record.max_points), ("adjustments", reasons)]
    marks = {each.id: mark_of(each) for each in record.exercises}
    cells += [(id, marks.get(id)) for id in table.worth]
    yield [*cells, ("files_not_taken", len(record.not_taken)), ("isolation", record.isolation), ("seed", record.seed)]


def _of_exercises(record: Record, table: ResultsTable) -> Iterator[Cells]:
    for each in record.exercises:
        status = f"{MARKS[each.status].word}{', does not count' if each.uncounted else ''}"
        cells: Cells = [("exercise", each.id), ("title", table.titles.get(each.id, each.id)), ("status", status)]
        cells += [("points", mark_of(each)), ("max_points", each.counted_max_points)]
        if table.is_adjusted:
            cells += [("graded_points", each.points), ("graded_max_points", each.max_points)]
        passed = sum(check.outcome == "passed" for check in each.checks)
        mistakes = " ".join(found.mistake for found in each.diagnosis)
        yield [*cells, ("checks_passed", passed), ("checks", len(each.checks)), ("mistakes", mistakes)]


# --- all formats ------------------------------------------------------------------------------------------------------

FOR_ALL: Mapping[str, tuple[str, Callable[[ResultsTable], Iterable[str | bytes]]]] = {
    "csv": ("grades.csv", csv_lines),
    "jsonl": ("results.jsonl", lambda table: (f"{row.record.to_json()}\n" for row in table.rows())),
    "canvas": ("canvas.csv", canvas.lines),
    "moodle": ("moodle.csv", moodle.lines),
    "moodle-feedback": ("moodle-worksheet.csv", moodle.worksheet),
    "junit": ("junit.xml", junit),
    "pages": ("pages.zip", lambda table: [zip_of(moodle.pages(table))]),
}
"""Formats with one file: its name, and the function that makes its content, in parts."""

FOR_EACH: Mapping[str, tuple[str, Callable[[Record, ResultsTable], dict[str, Any]]]] = {
    "gradescope": ("results.json", lambda record, table: gradescope(record, table.titles, table.whole.max_points)),
    "github": ("github.json", github),
}
"""Formats with a JSON file for each learner, in a folder called like the format; its name for a single learner."""

FORMATS = (*FOR_ALL, *FOR_EACH)


def write_export(table: ResultsTable, format: str, to: Path | None, *, force: bool = False) -> str:
    """Write a format's files, and say where; "" for standard output.

    to: where; beside the results by default. Raises KataError when they cannot be made or written.
    """
    if format in FOR_EACH:
        name, made = FOR_EACH[format]
        texts = ((row.record.submission, as_json(made(row.record, table))) for row in table.rows())
        if table.is_class:
            return _write_folder(texts, to or table.folder / format, force=force)
        parts: Iterable[str | bytes] = (text for _, text in texts)
    else:
        name, lines = FOR_ALL[format]
        name = BY_EXERCISE if (format, table.options.by) == ("csv", "exercise") else name
        parts = lines(table)
    content = (part.encode() if isinstance(part, str) else part for part in parts)
    if to == STANDARD_OUTPUT:
        sys.stdout.buffer.writelines(content)
        return ""
    path = to / name if to and to.is_dir() else to or table.folder / name
    return str(write_new(path, chain([BOM_UTF8] if format == "csv" else [], content), force=force))


def _write_folder(texts: Iterable[tuple[str, str]], folder: Path, *, force: bool) -> str:
    """Write a file for each learner, in class order. With `force` they replace an earlier export."""
    if folder == STANDARD_OUTPUT or (os.path.lexists(folder) and not folder.is_dir()):
        raise KataError("This format has a file a learner, so it needs a folder: --to DIR.")
    if folder.is_dir():
        if not force and any(folder.iterdir()):
            raise KataError(f"{folder} is not empty. With --force an earlier export there is replaced.")
        for earlier in folder.glob("[0-9][0-9][0-9][0-9]-*.json"):  # some may be of learners who are gone
            earlier.unlink()
    for count, (name, text) in enumerate(texts, start=1):
        stem = re.sub(r"[^\w-]+", "_", name).strip("_")[:LONGEST] or "learner"
        write_new(folder / f"{count:04d}-{stem}.json", text.encode(), force=force)
    return f"{counted(count, 'file')} in {folder}"


def write_new(path: Path, content: bytes | Iterable[bytes], *, force: bool = False) -> Path:
    """Write one file. Raises KataError when it exists already (unless `force`) or cannot be written."""
    if path.is_dir():
        raise KataError(f"{path} is a folder.")
    if os.path.lexists(path) and not force:
        raise KataError(f"{path} is there already. With --force it is written over.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, content)
    except OSError as error:
        raise KataError(f"{path} cannot be written: {error.strerror}.") from None
    return path


def warnings(table: ResultsTable) -> Iterator[str]:
    """Sentences on learners without a mark, and on what else may surprise in the marks."""
    if table.without_mark:
        yield f"Without a mark, since the grader itself failed: {_shown(table.without_mark)}. Grade them again."
    if table.unmatched:
        yield f"Exported for nobody, since nobody knows whose they are: {_shown(table.unmatched)}."
    if table.waiting:
        yield f"Not graded yet, so not exported: {_shown(table.waiting)}. Go on with `kata grade-class --resume`."
    units = [(unit, table.worth.keys() & {each.id for each in unit.exercises}) for unit in table.options.course.units]
    unset = [unit.folder for unit, ids in units if ids and ids <= table.not_handed_in]
    if unset and table.not_handed_in != table.worth.keys():
        rest = " ".join(f"--unit {unit.folder}" for unit, ids in units if ids - table.not_handed_in)
        yield (
            f"Nobody has handed in anything of {_shown(unset)}, and that counts as zeros. If it is not set yet, "
            f"name what is: {rest}."
        )


def _shown(names: Sequence[str]) -> str:
    return first_few(names, SHOWN)
