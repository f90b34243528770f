"""Grades a class: from a folder of submissions to the database, results.jsonl, and pages in OUT.

Every run does the same: of each submission it grades the exercises that have no result of just this source, by just
these checks and programs. So a first run grades all, and one that goes on grades what is new or changed. One for which
exercises are named leaves the others as they are, wherever there is a result of just this source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from grader.course import Course
from grader.errors import EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.intake import Submission
from grader.intake.names import first_few
from grader.intake.walk import OutOfReach
from grader.judge.seeds import seed_for
from grader.record import ExerciseResult
from grader.render.class_summary import ClassSummary
from grader.sandbox.levels import Level, MachineError

from .class_contents import UNMATCHED, read_matches, write_unmatched
from .class_list import ClassList, Identification, class_in
from .cluster import ClusterJudges, NoWorkerLeft
from .diff import Move, moves_between
from .earlier_run import about_changes, exercises_of, own_work_first, refuse_other_terms, refuse_others
from .grading_terms import Run, Terms, run_of
from .judging import GradingTask
from .platforms import Platform
from .pool import Judges, graded, ungraded
from .results import ClassResults, changed_aside, publish, published
from .roster import Learner, read_roster
from .store import Row, Store, writing
from .submission_files import SubmissionFiles, digest_of

UNPACKED = ".unpacked"
"""In OUT: what a class's zip holds, while it is graded."""


@dataclass(frozen=True)
class ClassOptions:
    """How a class is graded.

    only: the exercises; those of the run before, or all, if empty. seed: that of the run before, or a fresh one, if
    None. scheduler: the address of a dask scheduler, whose workers grade instead of judges on this machine. platform:
    the one that made the file names; found out if None. matches: a filled unmatched.csv. resume, anew: whether to go on
    with what OUT holds, or to begin again.
    """

    level: Level
    jobs: int = 1
    scheduler: str | None = None
    resume: bool = False
    anew: bool = False
    roster: Path | None = None
    platform: Platform | None = None
    matches: Path | None = None
    only: Sequence[str] = ()
    seed: int | None = None
    pages: bool = False


class Screen(Protocol):
    """What a run shows while it goes on."""

    def say(self, sentence: str) -> None:
        """Show a sentence."""

    def progress(self, total: int) -> AbstractContextManager[Callable[[str, bool], None]]:
        """A progress bar. The yielded function gets a submission's name, and whether there was anything to grade."""


@dataclass(frozen=True)
class GradedClass:
    """What a run came to. faults: learners at whom the grader itself failed. unmatched: submissions of nobody."""

    summary: ClassSummary
    moves: Sequence[Move]
    faults: Sequence[str]
    unmatched: Sequence[str]


MakeJudges = Callable[[int, Terms], Executor]
"""Makes an executor of so many judges, which grade by these terms."""


def grade_class(
    submissions: Path,
    out: Path,
    course: Course,
    options: ClassOptions,
    screen: Screen,
    judges: MakeJudges = Judges,
) -> GradedClass:
    """Grade the class in a folder or a zip into OUT. judges: those of this machine.

    Raises KataError when it cannot be graded, or not to its end: then the sentence says how many records are kept.
    MachineError when this machine cannot isolate; OSError.
    """
    with writing(out) as store:
        work = _ClassRun(store, course, options, screen)
        try:
            return work.grade(submissions, judges)
        except KeyboardInterrupt:
            raise KataError(f"Stopped. {work.kept()}", EXIT_INTERRUPTED) from None
        except NoWorkerLeft as error:
            raise KataError(f"{error} {work.kept()}", EXIT_CANNOT_ISOLATE) from None
        except (MachineError, KataError) as error:
            if not work.has_results:
                raise
            if isinstance(error, MachineError):
                error = KataError(f"Grading cannot go on ({error}).", EXIT_CANNOT_ISOLATE)
            raise KataError(f"{error} {work.kept()}", error.exit_status) from None


class _ClassRun:
    """One run. It is stored when its first result comes, so that a run that can grade nothing changes nothing."""

    _run: Run
    _everyone: ClassList

    def __init__(self, store: Store, course: Course, options: ClassOptions, screen: Screen) -> None:
        self._store, self._out, self._course = store, store.folder, course
        self._options, self._screen = options, screen
        runs = store.runs()
        if runs and not (options.resume or options.anew):
            raise KataError(
                f"{self._out} holds a graded class. --resume goes on with it; --anew begins again, and the earlier run "
                "stays in the database."
            )
        self._last = runs[-1] if runs else None
        self._before = self._last if options.resume else None
        self._versions = {each.id: each.versions for each in runs}
        self._ever = {id for each in runs for id in each.kits}
        self._times = {each.id: each.hand_in.at for each in store.learners(self._last)}
        self.has_results = False
        """Whether OUT holds results of this grading."""
        self._reading: dict[str, SubmissionFiles] = {}
        self._remarks: list[str] = []
        self._handed_in_anew: list[str] = []
        self._faults: list[str] = []
        self._kept_points: list[str] = []
        """Learners at whom the grader failed, and who keep an earlier result."""

    def kept(self) -> str:
        """A sentence on what is kept of a run that did not come to its end."""
        if not self.has_results:
            return "Nothing was graded."
        try:
            results = ClassResults(self._store, self._course)
            publish(self._out, results)
        except (KataError, OSError) as error:
            return str(error)
        done, left = len(results), len(results.ungraded)
        return f"{done} of {done + left} are graded and kept in {self._out}; go on with --resume."

    def grade(self, submissions: Path, make_judges: MakeJudges) -> GradedClass:
        """Grade the class, write what people read of it, and say what they have to know."""
        before, by = self._before, self._identification()
        with class_in(submissions, self._out / UNPACKED, self._course, by) as everyone:
            if not everyone.submissions and before is None:
                self._say(everyone.remarks)
                write_unmatched(self._out / UNMATCHED, everyone.unmatched)
                raise KataError(
                    "Nothing was graded, since nobody knows whose any submission is: fill the column learner of "
                    f"{self._out / UNMATCHED}, and give it with --match FILE."
                )
            self._everyone, self._run = everyone, self._new_run(submissions, everyone.platform)
            theirs: Sequence[SubmissionFiles] = everyone.submissions
            if before:
                refuse_other_terms(self._store, before, self._run)
                given = {entry for entry, learner in by.matches.items() if learner}
                remembered = {entry for entry, learner in by.before.items() if learner}
                refuse_others(self._store, before, everyone, remembered | given)
                self._say(about_changes(self._store, before, self._run, self._options.only))
                self.has_results = True
                theirs, own = own_work_first(theirs, self._store.entries(before))
                self._remarks += own
            totals = published(self._out)
            self._let_judges_grade(theirs, make_judges)
            self._begin()
        results = ClassResults(self._store, self._course)
        moves = list(moves_between(ClassResults(self._store, self._course, before), results)) if before else []
        summary = publish(self._out, results, pages=self._options.pages)
        self._say([*everyone.remarks, *self._remarks, *self._about_others(), *results.remarks()])
        if before:
            self._say(changed_aside(totals, results, {each.learner for each in moves}))
        unmatched = [each.entry for each in everyone.unmatched if each.is_submission]
        return GradedClass(summary, moves, list(dict.fromkeys(self._faults)), unmatched)

    def _say(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._screen.say(sentence)

    # --- what the run before decides ----------------------------------------------------------------------------------

    def _identification(self) -> Identification:
        """Whose each submission is: by the roster that was given, or by that of the run before.

        Raises KataError for another platform than that of the run that goes on.
        """
        options, used = self._options, self._before.platform if self._before else None
        if options.platform and used and options.platform != used:
            raise KataError(
                f"{self._out} was graded with the names of {used}, and --from says {options.platform}: rows would be "
                "somebody else's. Leave --from out, or give another folder."
            )
        told = self._store.unmatched() if self._before else []
        return Identification(
            self._roster(),
            options.platform or used,
            matches=read_matches(options.matches) if options.matches else {},
            ignored=(self._out, *(path for path in (options.roster, options.matches) if path)),
            before={each.entry: each.learner for each in told},
        )

    def _roster(self) -> tuple[Learner, ...] | None:
        if self._options.roster is not None:
            return read_roster(self._options.roster, self._course, withdrawn=self._ever)
        everyone = self._store.learners(self._last, alone=True) if self._last else []
        if enrolled := tuple(each for each in everyone if each.in_roster):
            self._say(["The roster is that of the run before."])
            return enrolled
        return None

    def _new_run(self, submissions: Path, platform: Platform) -> Run:
        """This run, not yet stored."""
        options, before = self._options, self._before
        seed = before.seed if before and options.seed is None else seed_for(self._course, options.seed)
        terms = Terms((self._course.root / "course.yml").absolute(), options.level, seed)
        now = run_of(self._course, terms, exercises_of(before, self._course, options.only), submissions, platform)
        return replace(now, first=before.first) if before else now

    # --- grading ------------------------------------------------------------------------------------------------------

    def _let_judges_grade(self, theirs: Sequence[SubmissionFiles], make_judges: MakeJudges) -> None:
        scheduler, terms = self._options.scheduler, self._run.terms
        width = max(1, min(self._options.jobs, len(theirs)))
        judges = ClusterJudges(scheduler, self._run) if scheduler else make_judges(width, terms)
        try:
            with self._screen.progress(len(theirs)) as advance:
                width = judges.width if isinstance(judges, ClusterJudges) else width
                for task, results in graded(judges, width, terms, self._tasks(theirs, advance)):
                    self._keep(task, results)
                    advance(task.submission.name, True)
        finally:
            judges.shutdown(wait=False, cancel_futures=True)
            if isinstance(judges, ClusterJudges):
                self._say(judges.remarks)

    def _tasks(self, theirs: Sequence[SubmissionFiles], advance: Callable[[str, bool], None]) -> Iterator[GradingTask]:
        """What is to be graded of each submission, where there is anything."""
        for files in theirs:
            try:
                submission = files.read(self._course)
            except OutOfReach as error:
                self._unread(files, str(error))
            except Exception as error:  # a fault of the grader, which costs nobody else anything
                self._unread(files, f"The grader broke while it read this submission ({type(error).__name__}).")
            else:
                self._reading[files.entry] = files
                if missing := self._missing(files, submission):
                    yield GradingTask(submission, missing)
                    continue
                self._store_work(submission, ())
            advance(files.entry, False)

    def _unread(self, files: SubmissionFiles, reason: str) -> None:
        """Keep what there is of a submission that this machine cannot read."""
        if all(self._known(learner) for learner in files.learners):
            self._remarks.append(f"{files.entry} keeps its results of the earlier run. {reason}")
        else:
            self._reading[files.entry] = files
            self._keep(GradingTask(Submission(files.entry, {}, ()), tuple(self._run.kits)), reason)

    def _missing(self, files: SubmissionFiles, submission: Submission) -> tuple[str, ...]:
        """The exercises of which somebody has no result that counts as one of just this work."""
        known = [self._known(learner) for learner in files.learners]
        return tuple(id for id in self._run.kits if not all(self._has(rows, submission, id) for rows in known))

    def _known(self, learner: str) -> dict[str, Row]:
        """The results of a learner in the runs before, by exercise; not where the grader failed."""
        rows = self._store.rows(learner, self._before) if self._before else []
        return {row.result.id: row for row in rows if row.result.status != "error"}

    def _has(self, known: Mapping[str, Row], submission: Submission, id: str) -> bool:
        """Whether there is a result of just this work, by the checks and programs of now where these are to count."""
        row, run, only = known.get(id), self._run, self._options.only
        if row is None or row.source != digest_of(submission, id):
            return False
        return (row.kit, self._versions[row.run]) == (run.kits[id], run.versions) or bool(only and id not in only)

    # --- keeping ------------------------------------------------------------------------------------------------------

    def _keep(self, task: GradingTask, results: Sequence[ExerciseResult] | str) -> None:
        """Store what a submission came to, or that it was not graded, for a reason."""
        learners = self._reading[task.submission.name].learners
        if isinstance(results, str):
            self._remarks += [f"{learner} was not graded. {results}" for learner in learners]
            results = [ungraded(id, self._course.exercise(id).points, results) for id in task.exercises]
        self._store_work(task.submission, results)
        if any(each.status == "error" for each in results):
            self._faults += learners
        elif {each.status for each in results} == {"missing"} and len(results) == len(self._run.kits):
            said = sorted(task.submission.problems, key=lambda each: each.kind not in ("unreadable", "refused"))
            self._remarks += [f"{learner}: {each.message}" for learner in learners for each in said[:1]]

    def _store_work(self, submission: Submission, results: Sequence[ExerciseResult]) -> None:
        """Store a submission that is new, with its results: for each learner those that they do not have.

        A fault of the grader takes no earlier result away.
        """
        files = self._reading.pop(submission.name)
        has_failed = any(each.status == "error" for each in results)
        todo: list[tuple[str, list[ExerciseResult]]] = []
        for learner in files.learners:
            known = self._known(learner)
            new = [each for each in results if not self._has(known, submission, each.id)]
            kept = [each for each in new if each.status != "error" or each.id not in known]
            if len(kept) < len(new):
                self._kept_points.append(learner)
            last = self._store.last_submission(learner, self._before)[0] if self._before else ""
            is_another = bool(last) and last != digest_of(submission)
            if is_another:
                self._handed_in_anew.append(learner)
            if kept or (is_another and not has_failed):
                todo.append((learner, kept))
        if todo:
            self._begin()
            with self._store.transaction():
                for learner, kept in todo:
                    self._store.add(self._run, learner, submission, kept)

    def _begin(self) -> None:
        """Store the run with its class, if that was not done."""
        if not self._run.id:
            work = {id for files in self._everyone.submissions for id in files.learners}
            self._run = self._store.begin(self._run, self._everyone.learners, work, self._everyone.unmatched)
            self.has_results = True

    def _about_others(self) -> Iterator[str]:
        """Sentences on learners who were in the run before, and on work that is not graded again."""
        before, listed = self._before, {each.id: each for each in self._everyone.learners}
        if before is None:
            return
        for id in sorted(self._store.graded(before) - listed.keys()):
            yield f"{id} is not among the submissions any more; the record is kept."
        if late := [
            id for id in self._handed_in_anew if listed[id].hand_in.at and self._times.get(id) == listed[id].hand_in.at
        ]:
            yield (
                f"Handed in anew, while the roster still has the earlier time: {first_few(late)}. Give --roster "
                "with the times of today, as it may be late."
            )
        if self._kept_points:
            yield f"Not graded again, so the earlier points stay: {', '.join(self._kept_points)}."
        if not self._options.only and before.exercises:
            yield f"The exercises are those of the run before: {', '.join(before.exercises)}."
