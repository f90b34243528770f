"""`nbgrader autograde`: our judge grades every submission first, then nbgrader writes down what came of it.

nbgrader has no setting for the class of its run, nor a hook around it. But it makes its exporter, whose class is a
setting, before it looks at any submission. So `HandsOver` starts a `KataAutograde` and leaves nbgrader's own run with
nothing to do. Nothing of nbgrader is replaced: what differs are subclasses that its settings name.

nbgrader never sees a learner's notebook, and starts no kernel. It gets a folder of ours in place of `submitted/`: the
released notebook with the learner's answers, already graded. A submission that cannot be graded is not in that folder,
so nothing of it is touched, neither an earlier grading nor its marks.
"""

from __future__ import annotations

import math
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default.exchange import Exchange
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import SaveAutoGrades
from nbgrader.utils import parse_utc
from traitlets import Bool, Enum, Integer, Unicode

from grader.classroom.final_points import EVERY_UNIT, HandIn, Override, adjusted
from grader.course import Course, Exercise, load_course
from grader.course.installed import refuse_exposed
from grader.errors import KataError, printable
from grader.intake import Submission, SubmissionError, read_submission
from grader.judge.faults import GraderBroken
from grader.record import MAX_SEED, Problem, Record
from grader.render.wording import first_few
from grader.sandbox.levels import GRADING_LEVELS, Level, MachineError
from grader.service.client import judge_for

from .assignment import SECRET, TIMESTAMP, Submitted, release_of, submissions_in
from .cells import exercise_of, grade_id_of, rebuilt, texts_for_people

if TYPE_CHECKING:
    from grader.service.client import AnyJudge


class HandsOver(NotebookExporter):
    """The exporter of nbgrader's Autograde, which starts ours instead."""

    # validate once, after the last step, instead of after each: all steps here are known
    optimistic_validation = Bool(True).tag(config=True)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        if not isinstance(run := self.parent, KataAutograde):
            own = KataAutograde(
                coursedir=run.coursedir, parent=run.parent, force=run.force, create_student=run.create_student
            )
            found, run.assignments = run.assignments, {}
            own.grade(list(submissions_in(run.coursedir, found)))


class KataAutograde(Autograde):
    """nbgrader's run over what our judge has graded."""

    course = Unicode("", help="The path of the course.yml that the notebooks were made from.").tag(config=True)
    isolation = Enum(GRADING_LEVELS, "full", help="How learners' code is walled off.").tag(config=True)
    seed = Integer(None, allow_none=True, min=0, max=MAX_SEED, help="Of the hidden inputs; fresh when None.").tag(
        config=True
    )

    coursedir: Any
    opened: Course

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.graded: dict[tuple[str, str, str], tuple[Record, dict[str, str]]] = {}
        """By assignment, learner and notebook: its record, and the texts of an earlier grading's cells by grade_id.

        nbgrader deletes that grading.
        """

    def grade(self, submissions: Sequence[Submitted]) -> None:
        """Grade these submissions. Who is not graded is named in the log.

        Raises NbGraderException, once all others are graded, if there was one.
        """
        real = self.coursedir
        try:
            self.opened = self._course()
        except KataError as error:
            self.log.error("Nobody was graded. %s", error)
            raise NbGraderException(str(error)) from None
        for each in submissions:
            try:
                each.demand_sound(Path(real.format_path(real.source_directory, ".", each.assignment)))
            except KataError as error:
                self._refuse(each, str(error))
        due = [each for each in submissions if not each.is_refused and self._is_due(each)]
        try:
            with _staging(real) as staging:
                for name in sorted({each.assignment for each in due}):
                    self._grade_assignment(name, [each for each in due if each.assignment == name], staging)
                if not all(each.is_refused for each in due):
                    self.coursedir = staging
                    self.start()
        finally:
            self.coursedir = real
            for each in due:
                each.complete(_folder(real, "autograded", each))
        if older := sum(not each.is_refused and each not in due for each in submissions):
            self.log.info("Graded before and left as it was: %d. With --force it is graded again.", older)
        if refused := [each.learner for each in submissions if each.is_refused]:
            self.log.error("Not graded, and the log above says why: %s", first_few(refused))
            raise NbGraderException(f"Submissions that were not graded: {len(refused)}.")

    def _course(self) -> Course:
        """The course. Raises KataError when it cannot be used, or learners' code could read it or this folder."""
        if not self.course or not Path(self.course).is_file():
            raise KataError(
                f"There is no course at {self.course or '(no path)'}: write the settings anew with "
                "`kata notebooks DIR`, and with --course if need be."
            )
        course = load_course(Path(self.course))
        exchange = Exchange(coursedir=self.coursedir, parent=self).root
        refuse_exposed(self.isolation, course.root, Path(self.coursedir.root), Path(exchange))
        return course

    def _is_due(self, each: Submitted) -> bool:
        """Whether nbgrader will grade it, as its `init_destination` decides: that deletes the earlier grading."""
        graded = _folder(self.coursedir, "autograded", each)
        if self.force or not all((graded / path.name).exists() for path in each.notebooks):
            return True
        before, text = self.coursedir.get_existing_timestamp(str(graded)), (each.time or "").strip()
        return bool(before and text and parse_utc(text) > before)

    def _refuse(self, each: Submitted, reason: str) -> None:
        each.is_refused = True
        self.log.error("Not graded: %s %s", printable(str(each.folder)), reason)

    def _grade_assignment(self, name: str, submissions: Sequence[Submitted], staging: Any) -> None:
        """Put the graded notebooks of one assignment where nbgrader will take them from."""
        seed = secrets.randbelow(MAX_SEED + 1) if self.seed is None else self.seed
        try:
            released, exercises = release_of(self.coursedir, name, self.opened)
            with trusted_judge(self.opened, exercises, self.isolation, seed) as judge:
                for each in submissions:
                    self._grade_one(each, released, judge, _folder(staging, "submitted", each))
        except KataError as error:
            self.log.error("Nobody's %s was graded. %s", name, error)
            for each in submissions:
                each.is_refused = True
                shutil.rmtree(_folder(staging, "submitted", each), ignore_errors=True)

    def _grade_one(self, each: Submitted, released: dict[str, Any], judge: AnyJudge, folder: Path) -> None:
        """Grade one submission, and write its notebooks, time and secret into a folder."""
        paths = [path for path in each.notebooks if path.stem in released]
        if not paths:
            names = ", ".join(f"{name}.ipynb" for name in released)
            self._refuse(each, f"holds no notebook of a name that was released: {names}.")
            return
        graded: dict[str, Any] = {}
        for path in paths:
            try:
                submission = replace(read_submission(path, self.opened), name=each.learner)
            except SubmissionError as error:
                problem = Problem(file=path.name, kind="unreadable", message=str(error))
                submission = Submission(each.learner, {}, (problem,))
            for problem in submission.problems:
                self.log.warning("Not taken of %s: %s", printable(str(path)), printable(problem.message))
            record = graded_by(judge, submission)
            if not record.complete:
                checks = ((part.id, check) for part in record.exercises for check in part.checks)
                broken = [f"{id}, {check.name}: {check.message}" for id, check in checks if check.outcome == "error"]
                self._refuse(each, f"has no grade, since the grader itself failed: {'; '.join(broken[:3])}")
                return
            before = texts_for_people(_folder(self.coursedir, "autograded", each) / path.name)
            self.graded[each.assignment, each.learner, path.stem] = record, before
            texts = texts_for_people(path)
            graded[path.name] = rebuilt(released[path.stem], submission, record, texts, self.opened)
        folder.mkdir(parents=True)
        for name, nb in graded.items():
            nbformat.write(nb, folder / name)
        (folder / SECRET).write_text(each.secret(), "utf-8")
        if each.time is not None:
            (folder / TIMESTAMP).write_text(each.time, "utf-8")


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


def _folder(coursedir: Any, step: Literal["submitted", "autograded"], each: Submitted) -> Path:
    """Where a CourseDirectory has what belongs to a submission at one step."""
    return Path(coursedir.format_path(getattr(coursedir, f"{step}_directory"), each.learner, each.assignment))


@contextmanager
def trusted_judge(course: Course, exercises: Sequence[Exercise], level: Level, seed: int) -> Iterator[AnyJudge]:
    """A judge that has given the reference solutions full marks.

    Raises KataError when nobody can be graded: the machine cannot isolate, the checks are broken, or the references
    do not get full marks.
    """
    try:
        with closing(judge_for(course, level, seed, [each.id for each in exercises])) as judge:
            record = graded_by(judge, read_submission(course.root / "solutions", course))
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


# --- what nbgrader's own run does on the way ------------------------------------------------------------------------


class SaveGrades(SaveAutoGrades):
    """Saves grades, except that a manual grade for an unchanged text needs no second look.

    nbgrader asks a person to check every manual grade again after each autograding. Here that is asked only if the
    answer has changed since, or the judge's score has.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Save one notebook's grades. Raises KataError when the notebook did not come from our judge."""
        run, names = self.parent.parent, resources["nbgrader"]
        if not isinstance(run, KataAutograde):
            raise KataError("The settings lack c.Autograde.exporter_class; write them anew with `kata notebooks`.")
        _, before = run.graded[names["assignment"], names["student"], names["notebook"]]
        now = {name: cell.source for cell in nb.cells if (name := grade_id_of(cell))}
        self._unchanged = {name for name in before if before[name] == now.get(name)}
        saved: tuple[Any, Any] = super().preprocess(nb, resources)
        return saved

    def _add_score(self, cell: Any, resources: Any) -> None:
        name = grade_id_of(cell)
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        waited, was = grade.needs_manual_grade, grade.auto_score
        super()._add_score(cell, resources)
        if grade.manual_score is not None and exercise_of(name) in self._unchanged and grade.auto_score == was:
            grade.needs_manual_grade = waited
            self.gradebook.db.commit()


class CoursePolicy(LateSubmissionPlugin):
    """nbgrader's late plugin, by course.yml: it takes off what `kata grade-class` takes off.

    Where course.yml has no due dates, nbgrader's own settings count.
    """

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """The points that lateness costs. A mark that a person gave counts as it is."""
        step = self.parent
        run, names = step.parent.parent, (step.assignment_id, student_id)
        if not run.opened.policy.due:
            own: float | None = super().late_submission_penalty(student_id, score, total_seconds_late)
            return own
        submission = step.gradebook.find_submission(*names)
        grades = step.gradebook.find_submission_notebook(step.notebook_id, *names).grades
        marked = {exercise_of(each.name): each.manual_score for each in grades if each.manual_score is not None}
        hand_in = HandIn(
            at={EVERY_UNIT: submission.timestamp.replace(tzinfo=timezone.utc)},
            extra_days={EVERY_UNIT: (submission.extension or timedelta()) / timedelta(days=1)},
            overrides={id: Override(points, "by hand") for id, points in marked.items()},
        )
        # due dates alone: nbgrader has no place for what does not count
        policy = run.opened.policy.model_copy(update={"exempt": (), "drop_lowest_units": 0})
        only_late = run.opened.model_copy(update={"policy": policy})
        graded, _ = run.graded[step.assignment_id, student_id, step.notebook_id]
        exercises = adjusted(graded, only_late, hand_in).exercises
        return round(math.fsum(each.points - each.counted_points for each in exercises if each.id not in marked), 9)
