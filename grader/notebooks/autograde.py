"""`nbgrader autograde`: our judge grades every submission first, then nbgrader writes down what came of it.

nbgrader has no setting for the class of its run, nor a hook around it. But it makes its exporter, whose class is a
setting, before it looks at any submission. So `HandsOver` starts a `KataAutograde` and leaves nbgrader's own run with
nothing to do. Nothing of nbgrader is replaced: what differs are subclasses that its settings name.

nbgrader never sees a learner's notebook, and starts no kernel. It gets a folder of ours in place of `submitted/`: the
released notebook with the learner's answers, already graded. A submission that cannot be graded is not in that folder,
so nothing of it is touched, neither an earlier grading nor its marks.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc
from traitlets import Bool, Enum, Integer, Unicode

from grader.classroom.final_points import duration
from grader.course import Course, Exercise, load_course
from grader.course.installed import refuse_exposed
from grader.errors import KataError
from grader.intake import SourceFile, Submission
from grader.intake.names import printable
from grader.judge.faults import GraderBroken
from grader.record import MAX_SEED, Record
from grader.render.wording import score
from grader.sandbox.levels import GRADING_LEVELS, Level, MachineError
from grader.service.client import judge_for

from .released import Release, rebuilt, release_of, set_due_date, texts_for_people
from .submitted import SECRET, TIMESTAMP, Submitted, submissions_in

if TYPE_CHECKING:
    from grader.service.client import AnyJudge

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
                each.complete(Path(real.format_path(real.autograded_directory, each.learner, each.assignment)))
            self.log.info("%s", outcome_table(real, submissions, due))
        if refused := [each for each in submissions if each.refused]:
            raise NbGraderException(f"Submissions that were not graded: {len(refused)}. The log above says why.")

    def _opened(self) -> Course:
        """The course. Raises KataError when it cannot be used, or learners' code could read it or this folder."""
        if not self.course or not Path(self.course).is_file():
            raise KataError(
                f"There is no course at {self.course or '(no path)'}: write the settings anew with "
                "`kata notebooks DIR`, and with --course if need be."
            )
        course = load_course(Path(self.course))
        refuse_exposed(self.isolation, course.root, Path(self.coursedir.root))
        return course

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
        try:
            release = release_of(self.coursedir, name, self.opened)
            set_due_date(self.coursedir, release, self.opened)
            with trusted_judge(self.opened, release.exercises, self.isolation, seed) as judge:
                for each in submissions:
                    self._grade_one(each, release, judge, _folder(staging, each))
        except KataError as error:
            self.log.error("Nobody's %s was graded. %s", name, error)
            for each in submissions:
                each.refused = each.refused or f"could not be graded, as nobody's {name} could."

    def _grade_one(self, each: Submitted, release: Release, judge: AnyJudge, folder: Path) -> None:
        """Grade one submission, and write its notebooks, time and secret into a folder."""
        paths = [path for path in each.notebooks if path.stem in release.notebooks]
        if not paths:
            names = ", ".join(f"{name}.ipynb" for name in release.notebooks)
            self._refuse(each, f"holds no notebook of a name that was released: {names}.")
            return
        folder.mkdir(parents=True)
        for path in paths:
            submission = each.read(path, self.opened)
            for problem in submission.problems:
                self.log.warning("Not taken of %s: %s", printable(str(path)), printable(problem.message))
                each.problems.append(problem.message)
            record = graded_by(judge, submission)
            if not record.complete:
                self._refuse(each, f"is not graded. {_why_unfinished(record)}")
                return
            key = each.assignment, each.learner, path.stem
            earlier = self.coursedir.format_path(self.coursedir.autograded_directory, each.learner, each.assignment)
            self.records[key], self.texts_before[key] = record, texts_for_people(Path(earlier) / path.name)
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


# --- behind the wall ------------------------------------------------------------------------------------------------


@contextmanager
def trusted_judge(course: Course, exercises: Sequence[Exercise], level: Level, seed: int) -> Iterator[AnyJudge]:
    """A judge that has given the reference solutions full marks.

    Raises KataError when nobody can be graded: the machine cannot isolate, the checks are broken, or the references
    do not get full marks.
    """
    paths = {each.id: course.solution_path(each) for each in exercises}
    sources = {id: SourceFile(id, path.name, path.read_bytes()) for id, path in paths.items()}
    try:
        with closing(judge_for(course, level, seed, tuple(sources))) as judge:
            record = graded_by(judge, Submission("reference", sources, ()))
            short = [each for each in record.exercises if each.points != each.max_points or each.status != "passed"]
            if short:
                listed = ", ".join(f"{each.id} ({each.points:g} of {each.max_points:g} points)" for each in short)
                raise GraderBroken(
                    f"The reference solution does not get full marks here: {listed}. Nobody is graded before that is "
                    "mended; `kata verify` says more."
                )
            yield judge
    except MachineError as error:
        raise KataError(
            f"This machine cannot isolate submissions (missing: {error}). No grade was recorded. See `kata doctor`."
        ) from None


def graded_by(judge: AnyJudge, submission: Submission) -> Record:
    """The record of one submission. Raises MachineError, GraderBroken."""
    records: list[Record] = []
    judge.grade([submission], records.append)
    return records[0]


def _why_unfinished(record: Record) -> str:
    """Why a record is not complete: the checks at which the grader itself failed."""
    errors = [
        f"{exercise.id}, {check.name}: {check.message}"
        for exercise in record.exercises
        for check in exercise.checks
        if check.outcome == "error"
    ]
    return f"The grader itself failed, so there is no grade: {'; '.join(errors[:3])}"


# --- the table at the end -------------------------------------------------------------------------------------------

_HEAD = ("who", "points", "late", "what could not be read")


def outcome_table(coursedir: Any, submissions: Sequence[Submitted], graded: Sequence[Submitted]) -> str:
    """Who has how many points, who was late, and what could not be read: a line for each submission.

    coursedir: nbgrader's CourseDirectory. graded: those that were graded now; the others' points are older.
    """
    with Gradebook(coursedir.db_url, coursedir.course_id) as book:
        rows = [_HEAD, *(_row(book, each) for each in submissions)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if older := sum(not each.refused and each not in graded for each in submissions):
        lines.append(f"Graded before and left as it was: {older}. With --force it is graded again.")
    return "\n".join(["Outcome:", *lines])


def _row(book: Any, each: Submitted) -> tuple[str, str, str, str]:
    who, problems = printable(each.learner), printable(" ".join(each.problems), 200)
    if each.refused:
        return who, "not graded", "", each.refused
    try:
        found = book.find_submission(each.assignment, each.learner)
    except MissingEntry:
        return who, "not graded", "", problems
    penalty = found.late_submission_penalty or 0.0
    points = f"{score(found.score - penalty)} / {score(found.max_score)}"
    late = ""
    if found.total_seconds_late > 0:
        late = f"{duration(timedelta(seconds=found.total_seconds_late))}: {score(-penalty)}"
    return who, points + (", not all read" if found.needs_manual_grade else ""), late, problems
