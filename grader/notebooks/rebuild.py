"""`nbgrader autograde`, first step: the released notebook with the learner's answers, and nothing else of theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

from grader.course import Course
from grader.sandbox.levels import exposed
from grader.submission import Problem, SourceFile, Submission, SubmissionError, read_submission
from grader.submission.carried import PROBLEMS, listed
from grader.submission.files import read_regular
from grader.submission.model import RefusedError, UnreadableError
from grader.submission.naming import printable
from grader.submission.notebook import NOTEBOOK_MB

from .cells import OURS, exercises_of, grade_id_of, is_answer, is_manual
from .inert import inert
from .step import CourseStep, NotebookError

SEVERAL = "\n\n---\n\n"
"""Between the texts of cells that all hold the answer to one question."""


class RebuildFromRelease(CourseStep):
    """Replaces what was handed in by the released notebook with its answers, as `kata grade` reads them.

    So nothing in the notebook's metadata counts: no cell can be missing, doubled or of another kind, and what cannot be
    taken is told to this learner in a sentence, beside the exercise.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Rebuild one notebook. Raises NotebookError when there is no release to start from."""
        names = resources["nbgrader"]
        if "handed_in" not in names:
            raise NotebookError("The settings lack c.Autograde.exporter_class; write them anew with `kata notebooks`.")
        path = Path(names["handed_in"])
        if reason := exposed(Path(names["released"])):
            raise NotebookError(f"The course folder is in no good place: learners' code can read {reason}.")
        released = released_at(Path(names["released"]) / path.name)
        handed_in = read(path, self.opened())
        for problem in handed_in.problems:
            self.log.warning("Not taken of %s: %s", printable(str(path)), printable(problem.message))
        nb = rebuilt(released, handed_in, texts_for_people(path), self.opened())
        self.judge(nb).begin(submission_in(nb, names["student"]))
        return nb, resources


def read(path: Path, course: Course) -> Submission:
    """What was handed in; when it cannot be read, nothing, with the reason as a problem."""
    try:
        return read_submission(path, course)
    except SubmissionError as error:
        return Submission(path.stem, {}, (Problem(path.name, "unreadable", str(error)),))


def rebuilt(released: Any, submission: Submission, texts: dict[str, str], course: Course) -> Any:
    """The released notebook with a submission's sources in its answers.

    texts: what was written for a person to read, by the grade_id of its cell.
    """
    asked = {exercise.id for exercise in exercises_of(released.cells, course)}
    for cell in released.cells:
        if is_answer(cell) and (source := submission.sources.get(grade_id_of(cell))):
            cell.source = source.content.decode("utf-8").rstrip("\n")
        elif is_manual(cell) and (text := texts.get(grade_id_of(cell), "")).strip():
            # what was left as it was must stay so to the byte: the gradebook sees by it that there is no answer
            cell.source = cell.source if text.strip() == cell.source.strip() else inert(text)
    released.metadata[OURS] = {
        "absent": sorted(asked - submission.sources.keys()),
        PROBLEMS: listed(each for each in submission.problems if each.exercise is None or each.exercise in asked),
    }
    return released


def submission_in(nb: Any, student: str) -> Submission:
    """What a rebuilt notebook holds to be graded. Raises NotebookError when it is not a rebuilt one."""
    if OURS not in nb.metadata:
        raise NotebookError("This notebook was not rebuilt; write the settings anew with `kata notebooks`.")
    absent = set(nb.metadata[OURS]["absent"])
    sources = {
        id: SourceFile(id, id, cell.source.encode("utf-8"))
        for cell in nb.cells
        if is_answer(cell) and (id := grade_id_of(cell)) not in absent
    }
    return Submission(student, sources, tuple(Problem(*each) for each in nb.metadata[OURS][PROBLEMS]))


def texts_for_people(path: Path) -> dict[str, str]:
    """What stands in the cells of a notebook that have a name, by that name; empty when it can't be read."""
    found: dict[str, dict[str, None]] = {}
    for name, text in _named_texts(path):
        found.setdefault(name, {})[text] = None
    return {name: SEVERAL.join(texts) for name, texts in found.items()}


def _named_texts(path: Path) -> Iterator[tuple[str, str]]:
    limit = NOTEBOOK_MB * 1024 * 1024
    try:
        content = read_regular(path, limit)
        notebook = json.loads(content) if len(content) <= limit else {}
    except (UnreadableError, RefusedError, ValueError, RecursionError):
        return  # the intake has said what is wrong
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict) or not (name := grade_id_of(cell)):
            continue
        source = cell.get("source")
        parts = source if isinstance(source, list) else [source]
        text = "".join(part for part in parts if isinstance(part, str))
        # a lone surrogate can be in JSON but in no file
        yield name, text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def released_at(path: Path) -> Any:
    """A unit's notebook as learners were given it. Raises NotebookError when there is none."""
    try:
        return nbformat.read(path, as_version=4)
    except OSError as error:
        raise NotebookError(
            f"There is no released notebook {path} ({error.strerror}); run `nbgrader generate_assignment` first."
        ) from None
    except Exception as error:  # nbformat lets through what its parts raise
        raise NotebookError(f"{path} cannot be read ({type(error).__name__}: {error}); release it anew.") from None
