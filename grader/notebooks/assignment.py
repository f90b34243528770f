"""An assignment in nbgrader's folders: what was released, and which of what lies in `submitted/` may be graded.

nbgrader follows links, copies everything beside a notebook, even into the feedback, and writes the name of a learner's
folder into its pages as HTML. So a link to `source/` would give full marks, and one to a device would end the batch.
Here a submission is notebooks, a time and a secret, in ordinary folders with plain names; all else stays where it is.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import ClearSolutions
from nbgrader.utils import parse_utc

from grader.classroom.final_points import due_dates
from grader.course import Course, CourseError, Exercise
from grader.course.stubs import make_stub
from grader.errors import KataError
from grader.files import UnreadableError, read_regular
from grader.render.wording import score

from .cells import exercise_tested, grade_id_of, kind_of

# --- released -------------------------------------------------------------------------------------------------------


class ClearToStub(ClearSolutions):
    """`generate_assignment`: clears solutions, except that an answer becomes the exercise's own stub."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Clear one cell. Raises CourseError when its regions are malformed: nothing is released then."""
        if kind_of(cell) == "answer":
            cell.source = make_stub(cell.source).strip("\n")
            return cell, resources
        cleared: tuple[Any, Any] = super().preprocess_cell(cell, resources, cell_index)
        return cleared


def release_of(coursedir: Any, name: str, course: Course) -> tuple[dict[str, Any], list[Exercise]]:
    """A released assignment: its notebooks by name, and their exercises. Its due date is in the gradebook from then on.

    coursedir: nbgrader's CourseDirectory.
    Raises KataError when it cannot be graded: it is not there, or the course or the gradebook differ from it.
    """
    folder = Path(coursedir.format_path(coursedir.release_directory, ".", name))
    notebooks = {path.stem: _read(path) for path in sorted(folder.glob("*.ipynb")) or [folder / f"{name}.ipynb"]}
    cells = [cell for nb in notebooks.values() for cell in nb.cells]
    try:
        tested = [(exercise_tested(cell, course), cell) for cell in cells if kind_of(cell) == "test"]
    except CourseError as error:
        raise KataError(f"The notebook and the course differ: {error}. Make and release it anew.") from None
    if strange := [grade_id_of(cell) for exercise, cell in tested if exercise is None]:
        raise KataError(f"These test cells are of no exercise, so there are no checks for them: {', '.join(strange)}.")
    exercises = {exercise.id: exercise for exercise, _ in tested if exercise}
    then = {exercise.id: float(cell.metadata.nbgrader["points"]) for exercise, cell in tested if exercise}
    if moved := [each for each in exercises.values() if then[each.id] != each.points]:
        changes = "; ".join(f"{each.id}: {score(then[each.id])} then, {score(each.points)} now" for each in moved)
        raise KataError(
            f"Points were changed since this assignment was released ({changes}). Nothing was graded and no mark was "
            f"touched. Make it anew with `kata notebooks` and its options, then `nbgrader generate_assignment {name} "
            f"--force` and `nbgrader autograde {name} --force`."
        )
    _set_due_date(coursedir, name, exercises.values(), course)
    return notebooks, list(exercises.values())


def _read(path: Path) -> Any:
    try:
        return nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat lets internal errors through
        raise KataError(
            f"There is no released notebook {path} that can be read ({error}); run `nbgrader generate_assignment`."
        ) from None


def _set_due_date(coursedir: Any, name: str, exercises: Iterable[Exercise], course: Course) -> None:
    """nbgrader takes due dates from the gradebook: the earliest of the assignment's units, if course.yml gives any."""
    known = due_dates(course)
    if due := [known[each.unit] for each in exercises if each.unit in known]:
        with Gradebook(coursedir.db_url, coursedir.course_id) as book, suppress(MissingEntry):  # nbgrader reports that
            # the gradebook holds naive times in UTC
            book.find_assignment(name).duedate = min(due).astimezone(timezone.utc).replace(tzinfo=None)
            book.db.commit()


# --- submitted ------------------------------------------------------------------------------------------------------

TIMESTAMP = "timestamp.txt"
SECRET = "submission_secret.txt"
"""`nbgrader submit` creates it beside a notebook: in the exchange, feedback is found only by it."""
_MOST_BYTES = 1000

NOT_IN_NAMES = '<>"\\*?[]'
"""Characters that nbgrader's pages take for HTML or script text, and its commands for glob patterns."""


@dataclass(eq=False)
class Submitted:
    """One learner's folder for one assignment, and the notebooks in it that nbgrader was asked to grade.

    time: when it was handed in, as text that nbgrader can read; None if nothing says so. `demand_sound` reads it.
    is_refused: whether it is not graded; the log says why.
    """

    learner: str
    assignment: str
    folder: Path
    notebooks: Sequence[Path]
    time: str | None = None
    is_refused: bool = False

    def demand_sound(self, source: Path) -> None:
        """Raise KataError, to follow the folder's name, when this must not be graded.

        source: the folder of the assignment's source notebooks.
        """
        if not self.learner.isprintable() or set(self.learner) & set(NOT_IN_NAMES):
            raise KataError(
                f"has characters in the learner's name that make trouble in pages ({NOT_IN_NAMES}, invisible ones)."
            )
        for each in (self.folder, self.folder.parent):
            if each.is_symlink():
                raise KataError(f"is reached by a link, {each.name}. Put the learner's own folder in its place.")
        for notebook in self.notebooks:
            original = source / notebook.name
            # a link instead of a notebook is refused by the intake, without points
            if not notebook.is_symlink() and original.exists() and notebook.samefile(original):
                raise KataError(f"holds no notebook of its own: {notebook.name} is the course's, with the solutions.")
        try:
            self.time = self._text_of(TIMESTAMP)
            if self.time and self.time.strip():
                parse_utc(self.time.strip())
        except Exception:  # the date parser lets any internal error through, such as one from decimal division
            raise KataError(
                f"has a {TIMESTAMP} that holds no time that nbgrader can read; correct it or take it away."
            ) from None

    def secret(self) -> str:
        """The secret by which `nbgrader fetch_feedback` finds the page; one that nobody knows where there is none."""
        with suppress(UnreadableError, UnicodeDecodeError):
            if text := self._text_of(SECRET):
                return text
        return secrets.token_hex()

    def complete(self, graded: Path) -> None:
        """Write the time into its autograded folder, if that holds none.

        `nbgrader release_feedback` would stop for all without it. Lateness goes by the gradebook, which is not told.
        """
        if graded.is_dir() and not (graded / TIMESTAMP).exists():
            (graded / TIMESTAMP).write_text(f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M:%S.%f} UTC", "ascii")

    def _text_of(self, name: str) -> str | None:
        """What a file says, None where there is none. Raises UnreadableError, UnicodeDecodeError."""
        path = self.folder / name
        return read_regular(path, _MOST_BYTES).decode("utf-8") if os.path.lexists(path) else None


def submissions_in(coursedir: Any, found: Mapping[str, Sequence[str]]) -> Iterator[Submitted]:
    """The submissions that nbgrader found, without those of excluded learners.

    coursedir: nbgrader's CourseDirectory. found: the notebooks of each learner's folder, as in `assignments` of
    nbgrader's converters.
    """
    pattern = coursedir.format_path(coursedir.submitted_directory, "(?P<learner>.*)", "(?P<assignment>.*)", escape=True)
    excluded = coursedir.student_id_exclude.split(",")
    for place in sorted(found):
        named = re.fullmatch(pattern, place, re.DOTALL)
        if named and named["learner"] not in excluded:
            yield Submitted(named["learner"], named["assignment"], Path(place), sorted(map(Path, found[place])))
