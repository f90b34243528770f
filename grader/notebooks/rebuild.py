"""`nbgrader autograde`, first step: puts the learner's answers, and nothing else, into the released notebook.

Also the base class of our steps, with the course and the judge from the settings.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Enum, Integer, Unicode

from grader.classroom import Terms
from grader.course import FILE_NAME, Course, CourseError, Exercise, load_course
from grader.errors import KataError
from grader.intake import FileProblem, SourceFile, Submission, SubmissionError, read_submission
from grader.intake.names import printable
from grader.intake.notebook import NOTEBOOK_MB
from grader.intake.regular_file import read_regular
from grader.intake.submission import UnreadableError
from grader.record import MAX_SEED
from grader.sandbox.levels import GRADING_LEVELS, exposed

from .cells import OURS, exercise_tested, exercises_of, grade_id_of, inert, is_answer, is_manual, is_test
from .notebook_judge import NotebookJudge, judge_for


class CourseStep(NbGraderPreprocessor):
    """A step with access to the course and the judge."""

    course = Unicode("", help="The path of the course.yml that the notebooks were made from.").tag(config=True)
    isolation = Enum(GRADING_LEVELS, "full", help="How learners' code is walled off.").tag(config=True)
    seed = Integer(None, allow_none=True, min=0, max=MAX_SEED, help="Of the hidden inputs; fresh when None.").tag(
        config=True
    )

    def opened(self) -> Course:
        """The course. Raises KataError when it cannot be used."""
        path = Path(self.course)
        if not self.course or not path.is_file():
            raise KataError(
                f"There is no course at {self.course or '(no path)'}: write the settings anew with "
                "`kata notebooks DIR --force`, and with --course if need be."
            )
        try:
            return _loaded(path, path.stat().st_mtime_ns)
        except CourseError as error:
            raise KataError(str(error)) from None

    def judge(self, nb: Any) -> NotebookJudge:
        """The judge for a notebook's exercises. Raises KataError when the course lacks one of them."""
        course = self.opened()
        exercises = exercises_in(nb, course)
        seed = _fresh_seed() if self.seed is None else self.seed
        ids = tuple(exercise.id for exercise in exercises)
        return judge_for(Terms(course.root / FILE_NAME, self.isolation, seed, ids))


def exercises_in(nb: Any, course: Course) -> list[Exercise]:
    """The exercises of a notebook; every automatically graded cell must belong to one.

    Raises KataError otherwise.
    """
    try:
        exercises = exercises_of(nb.cells, course)
    except CourseError as error:
        raise KataError(f"The notebook and the course differ: {error}. Make and release it anew.") from None
    strange = [grade_id_of(cell) for cell in nb.cells if is_test(cell) and exercise_tested(cell, course) is None]
    if strange:
        listed = ", ".join(strange)
        raise KataError(f"These test cells are of no exercise, so there are no checks for them: {listed}.")
    return exercises


@cache
def _fresh_seed() -> int:
    return secrets.randbelow(MAX_SEED + 1)


@cache
def _loaded(path: Path, changed: int) -> Course:
    return load_course(path)


SEVERAL = "\n\n---\n\n"
"""Separator between the texts of several cells for the same question."""


class RebuildFromRelease(CourseStep):
    """Replaces what was handed in by the released notebook with its answers, as `kata grade` reads them.

    So the notebook's own structure does not count: no cell can be missing, doubled or of another kind, and problems are
    reported to this learner in a sentence, beside the exercise.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Rebuild one notebook. Raises KataError when there is no release to start from."""
        names = resources["nbgrader"]
        if "handed_in" not in names:
            raise KataError("The settings lack c.Autograde.exporter_class; write them anew with `kata notebooks`.")
        path = Path(names["handed_in"])
        if reason := exposed(Path(names["released"])):
            raise KataError(f"The course folder is in no good place: learners' code can read {reason}.")
        released = released_at(Path(names["released"]) / path.name)
        handed_in = read(path, self.opened())
        for problem in handed_in.problems:
            self.log.warning("Not taken of %s: %s", printable(str(path)), printable(problem.message))
        nb = rebuilt(released, handed_in, texts_for_people(path), self.opened())
        self.judge(nb).begin(submission_in(nb, names["student"]))
        return nb, resources


def read(path: Path, course: Course) -> Submission:
    """Read a submission; if that fails, an empty one with the reason as a problem."""
    try:
        return read_submission(path, course)
    except SubmissionError as error:
        return Submission(path.stem, {}, (FileProblem(path.name, "unreadable", str(error)),))


def rebuilt(released: Any, submission: Submission, texts: dict[str, str], course: Course) -> Any:
    """The released notebook with a submission's sources in its answer cells.

    texts: text for a person to read, by the grade_id of its cell.
    """
    asked = {exercise.id for exercise in exercises_of(released.cells, course)}
    for cell in released.cells:
        if is_answer(cell) and (source := submission.sources.get(grade_id_of(cell))):
            cell.source = source.content.decode("utf-8").rstrip("\n")
        elif is_manual(cell) and (text := texts.get(grade_id_of(cell), "")).strip():
            # unchanged text must stay the same to the byte: the gradebook recognises by it that there is no answer
            cell.source = cell.source if text.strip() == cell.source.strip() else inert(text)
    released.metadata[OURS] = {
        "absent": sorted(asked - submission.sources.keys()),
        "problems": [
            [each.file, each.kind, each.message, each.exercise]
            for each in submission.problems
            if each.exercise is None or each.exercise in asked
        ],
    }
    return released


def submission_in(nb: Any, student: str) -> Submission:
    """The submission in a rebuilt notebook. Raises KataError when it is not a rebuilt one."""
    if OURS not in nb.metadata:
        raise KataError("This notebook was not rebuilt; write the settings anew with `kata notebooks`.")
    absent = set(nb.metadata[OURS]["absent"])
    sources = {
        id: SourceFile(id, id, cell.source.encode("utf-8"))
        for cell in nb.cells
        if is_answer(cell) and (id := grade_id_of(cell)) not in absent
    }
    return Submission(student, sources, tuple(FileProblem(*each) for each in nb.metadata[OURS]["problems"]))


def texts_for_people(path: Path) -> dict[str, str]:
    """The text of a notebook's named cells, by name; empty when it can't be read."""
    found: dict[str, dict[str, None]] = {}
    for name, text in _named_texts(path):
        found.setdefault(name, {})[text] = None
    return {name: SEVERAL.join(texts) for name, texts in found.items()}


def _named_texts(path: Path) -> Iterator[tuple[str, str]]:
    limit = NOTEBOOK_MB * 1024 * 1024
    try:
        content = read_regular(path, limit)
        notebook = json.loads(content) if len(content) <= limit else {}
    except (UnreadableError, ValueError, RecursionError):
        return  # the intake has reported what is wrong
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict) or not (name := grade_id_of(cell)):
            continue
        source = cell.get("source")
        parts = source if isinstance(source, list) else [source]
        text = "".join(part for part in parts if isinstance(part, str))
        # JSON can contain a lone surrogate, a file cannot
        yield name, text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def released_at(path: Path) -> Any:
    """A unit's released notebook. Raises KataError when there is none."""
    try:
        return nbformat.read(path, as_version=4)
    except OSError as error:
        raise KataError(
            f"There is no released notebook {path} ({error.strerror}); run `nbgrader generate_assignment` first."
        ) from None
    except Exception as error:  # nbformat lets internal errors through
        raise KataError(f"{path} cannot be read ({type(error).__name__}: {error}); release it anew.") from None
