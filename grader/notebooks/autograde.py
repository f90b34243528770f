"""`nbgrader autograde`: our judge grades every submission first, then nbgrader writes down what came of it.

nbgrader has no setting for the class of its run, nor a hook around it. But it makes its exporter, whose class is a
setting, before it looks at any submission. So `HandsOver` starts a `KataAutograde` and leaves nbgrader's own run with
nothing to do.

nbgrader never sees a learner's notebook, and starts no kernel. It gets a folder of ours in place of `submitted/`: the
released notebook with the learner's answers, already graded. A submission that cannot be graded is not in that folder,
so nothing of it is touched, neither an earlier grading nor its marks.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc
from traitlets import Bool, Enum, Integer, Unicode

from grader.course import Course, load_course
from grader.errors import KataError
from grader.intake import Submission
from grader.intake.names import printable
from grader.record import MAX_SEED, Record
from grader.sandbox.levels import GRADING_LEVELS, exposed

from .judged import grade_all, why_unfinished
from .lateness import set_due_date
from .outcome import outcome_table
from .rebuild import read, rebuilt, texts_for_people
from .release import Release, release_of
from .submitted import SECRET, TIMESTAMP, Submitted, submissions_in

Key = tuple[str, str, str]
"""Assignment, learner and notebook."""


class HandsOver(NotebookExporter):
    """The exporter of nbgrader's Autograde, which starts ours instead."""

    # validate once, after the last step, instead of after each: all steps here are known
    optimistic_validation = Bool(True).tag(config=True)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        if not isinstance(self.parent, KataAutograde):
            KataAutograde.run_instead_of(self.parent)


class KataAutograde(Autograde):
    """nbgrader's run over what our judge has graded."""

    course = Unicode("", help="The path of the course.yml that the notebooks were made from.").tag(config=True)
    isolation = Enum(GRADING_LEVELS, "full", help="How learners' code is walled off.").tag(config=True)
    seed = Integer(None, allow_none=True, min=0, max=MAX_SEED, help="Of the hidden inputs; fresh when None.").tag(
        config=True
    )

    coursedir: Any

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.records: dict[Key, Record] = {}
        """What was graded in this run."""
        self.texts_before: dict[Key, dict[str, str]] = {}
        """The texts of an earlier grading's cells by grade_id: nbgrader deletes that grading."""

    @classmethod
    def run_instead_of(cls, run: Autograde) -> None:
        """Grade what `run` was asked to, and leave it nothing. Raises NbGraderException unless all were graded."""
        own = cls(coursedir=run.coursedir, parent=run.parent, force=run.force, create_student=run.create_student)
        found, run.assignments = run.assignments, {}
        own.grade(list(submissions_in(run.coursedir, found)))

    def grade(self, submissions: Sequence[Submitted]) -> None:
        """Grade these submissions. Who is not graded is named in the log.

        Raises NbGraderException, once all others are graded, if there was one.
        """
        real = self.coursedir
        try:
            self.opened = self._opened()
        except KataError as error:
            self.log.error("Nobody was graded. %s", error)
            raise NbGraderException(str(error)) from None
        due = [each for each in submissions if self._is_sound(each) and self._is_due(each)]
        try:
            with _staging(real) as staging:
                for name in sorted({each.assignment for each in due}):
                    self._grade_assignment(name, [each for each in due if each.assignment == name], staging)
                for each in due:
                    if each.refused:
                        shutil.rmtree(_folder(staging, each), ignore_errors=True)
                if not all(each.refused for each in due):
                    self.coursedir = staging
                    self.start()
        finally:
            self.coursedir = real
            for each in due:
                _complete(Path(real.format_path(real.autograded_directory, each.learner, each.assignment)), each)
            self.log.info("%s", outcome_table(real, submissions, due))
        if refused := [each for each in submissions if each.refused]:
            raise NbGraderException(f"Submissions that were not graded: {len(refused)}. The log above says why.")

    def _opened(self) -> Course:
        """The course. Raises KataError when it cannot be used, or lies with this folder in a bad place."""
        if not self.course or not Path(self.course).is_file():
            raise KataError(
                f"There is no course at {self.course or '(no path)'}: write the settings anew with "
                "`kata notebooks DIR`, and with --course if need be."
            )
        if reason := exposed(Path(self.coursedir.root)):
            raise KataError(f"The course folder is in no good place: learners' code can read {reason}.")
        return load_course(Path(self.course))

    def _is_sound(self, each: Submitted) -> bool:
        try:
            each.demand_sound(self.coursedir)
        except KataError as error:
            self._refuse(each, str(error))
        return not each.refused

    def _is_due(self, each: Submitted) -> bool:
        """Whether nbgrader will grade it, as its `init_destination` decides: that deletes the earlier grading."""
        graded = Path(self.coursedir.format_path(self.coursedir.autograded_directory, each.learner, each.assignment))
        is_whole = self.coursedir.notebook_id == "*"
        there = graded.exists() if is_whole else all((graded / path.name).exists() for path in each.notebooks)
        if self.force or not there:
            return True
        before, text = self.coursedir.get_existing_timestamp(str(graded)), (each.time() or "").strip()
        return bool(before and text and parse_utc(text) > before)

    def _refuse(self, each: Submitted, reason: str) -> None:
        each.refused = reason
        self.log.error("Not graded: %s %s", printable(str(each.folder)), reason)

    def _grade_assignment(self, name: str, submissions: Sequence[Submitted], staging: Any) -> None:
        """Put the graded notebooks of one assignment where nbgrader will take them from."""
        seed = secrets.randbelow(MAX_SEED + 1) if self.seed is None else self.seed
        waiting: deque[tuple[Submitted, Path, Submission]] = deque()
        try:
            release = release_of(self.coursedir, name, self.opened)
            set_due_date(self.coursedir, release, self.opened)
            to_grade = self._read(release, submissions, waiting)
            take = partial(self._take, release, waiting, staging)
            grade_all(self.opened, release.exercises, self.isolation, seed, to_grade, take)
        except KataError as error:
            self.log.error("Nobody's %s was graded. %s", name, error)
            for each in submissions:
                each.refused = each.refused or f"could not be graded, as nobody's {name} could."

    def _read(
        self, release: Release, submissions: Sequence[Submitted], waiting: deque[tuple[Submitted, Path, Submission]]
    ) -> Iterator[Submission]:
        for each in submissions:
            paths = [path for path in each.notebooks if path.stem in release.notebooks]
            if not paths:
                names = ", ".join(f"{name}.ipynb" for name in release.notebooks)
                self._refuse(each, f"holds no notebook of a name that was released: {names}.")
            for path in paths:
                submission = replace(read(path, self.opened), name=each.learner)
                for problem in submission.problems:
                    self.log.warning("Not taken of %s: %s", printable(str(path)), printable(problem.message))
                    each.problems.append(problem.message)
                waiting.append((each, path, submission))
                yield submission

    def _take(
        self, release: Release, waiting: deque[tuple[Submitted, Path, Submission]], staging: Any, record: Record
    ) -> None:
        each, path, submission = waiting.popleft()
        key = each.assignment, each.learner, path.stem
        if not record.complete:
            self._refuse(each, f"is not graded. {why_unfinished(record)}")
            return
        self.records[key] = record
        earlier = self.coursedir.format_path(self.coursedir.autograded_directory, each.learner, each.assignment)
        self.texts_before[key] = texts_for_people(Path(earlier) / path.name)
        folder = _folder(staging, each)
        folder.mkdir(parents=True, exist_ok=True)
        nb = rebuilt(release.notebooks[path.stem], submission, record, texts_for_people(path), self.opened)
        nbformat.write(nb, folder / path.name)
        (folder / SECRET).write_text(each.secret(self.log), "utf-8")
        if (time := each.time()) is not None:
            (folder / TIMESTAMP).write_text(time, "utf-8")


@contextmanager
def _staging(coursedir: Any) -> Iterator[Any]:
    """A CourseDirectory like this one, with a folder of its own in place of `submitted/`; the folder is deleted."""
    step = f"being-graded-{secrets.token_hex(4)}"
    settings = {name: getattr(coursedir, name) for name in coursedir.trait_names(config=True)}
    folder = Path(os.path.normpath(coursedir.format_path(step, ".", ".")))
    folder.mkdir(mode=0o700)
    try:
        yield CourseDirectory(parent=coursedir.parent, **{**settings, "submitted_directory": step})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _folder(staging: Any, each: Submitted) -> Path:
    return Path(staging.format_path(staging.submitted_directory, each.learner, each.assignment))


def _complete(graded: Path, each: Submitted) -> None:
    """Write the time of handing in where there is none: `nbgrader release_feedback` would stop for all without it.

    Lateness goes by the gradebook, which is not told of this time.
    """
    if graded.is_dir() and not (graded / TIMESTAMP).exists():
        (graded / TIMESTAMP).write_text(each.last_changed(), "ascii")
