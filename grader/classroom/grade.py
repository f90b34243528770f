"""Grades a class: from a folder of submissions to the database, results.jsonl, and pages in OUT.

Every run does the same: of each submission it grades the exercises that have no result of just this source, by just
these checks and programs. So a first run grades all, and one that goes on grades what is new or changed. One for which
exercises are named leaves the others as they are, wherever there is a result of just this source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course import Course
from grader.errors import EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.intake import Submission
from grader.intake.names import first_few
from grader.intake.walk import OutOfReach
from grader.record import CheckResult, ExerciseResult
from grader.render.class_summary import ClassSummary
from grader.sandbox.levels import Level, MachineError

from .class_folder import SubmissionFiles
from .class_list import ClassList, Identification, class_in
from .cluster import WIDTH, ClusterJudges
from .earlier_run import moves_between, refuse_others
from .grading_terms import Run, causes, run_of, terms_of
from .judging import GradingTask, Judges, graded
from .platforms import Platform
from .results import ClassResults, publish
from .roster import Learner, read_roster
from .store import Store, writing
from .unmatched import read_matches


@dataclass(frozen=True)
class ClassOptions:
    """How a class is graded.

    say: shows a sentence. progress: a progress bar for so many submissions; it yields a function that gets a
    submission's name, and whether there was anything to grade. only: the exercises; those of the run before, or all, if
    empty. seed: that of the run before, or a fresh one, if None. scheduler: the address of a dask scheduler, whose
    workers grade instead of judges on this machine. platform: the one that made the file names; found out if None.
    matches: a filled unmatched.csv. resume, anew: whether to go on with what OUT holds, or to begin again. judges:
    makes so many of this machine for a run.
    """

    level: Level
    say: Callable[[str], None]
    progress: Callable[[int], AbstractContextManager[Callable[[str, bool], None]]]
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
    judges: Callable[[int, Run], Executor] = Judges


@dataclass(frozen=True)
class GradedClass:
    """What a run came to. faults: learners at whom the grader itself failed."""

    summary: ClassSummary
    moves: Sequence[str]
    faults: Sequence[str]


def grade_class(submissions: Path, out: Path, course: Course, options: ClassOptions) -> GradedClass:
    """Grade the class in a folder into OUT.

    Raises KataError when it cannot be graded, or not to its end: then the sentence says how many records are kept.
    MachineError when this machine cannot isolate; OSError.
    """
    with writing(out) as store:
        work = _ClassRun(store, course, options)
        try:
            return work.grade(submissions)
        except KeyboardInterrupt:
            raise KataError(f"Stopped. {work.kept()}", EXIT_INTERRUPTED) from None
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

    def __init__(self, store: Store, course: Course, options: ClassOptions) -> None:
        self._store, self._out, self._course, self._options = store, store.folder, course, options
        if store.runs and not (options.resume or options.anew):
            raise KataError(
                f"{self._out} holds a graded class. --resume goes on with it; --anew begins again, and the earlier run "
                "stays in the database."
            )
        self._last = store.last if store.runs else None
        self._before = self._last if options.resume else None
        self.has_results = False
        """Whether OUT holds results of this grading."""
        self._remarks: dict[str, list[str]] = defaultdict(list)
        """What is to be said of learners."""
        self._stale: dict[str, set[str]] = {}
        """Exercises with results by other checks or programs than those of now, and by which."""
        self._anew: set[str] = set()
        """Learners who handed in something else, which may be late."""
        self._faults: set[str] = set()
        """Learners at whom the grader failed."""

    def kept(self) -> str:
        """A sentence on what is kept of a run that did not come to its end."""
        if not self.has_results:
            return "Nothing was graded."
        try:
            results = ClassResults(self._store, self._course)
            publish(results)
        except (KataError, OSError) as error:
            return str(error)
        done, left = len(results.learners), len(results.ungraded)
        return f"{done} of {done + left} are graded and kept in {self._out}; go on with --resume."

    def grade(self, submissions: Path) -> GradedClass:
        """Grade the class, write what people read of it, and say what they have to know."""
        by = self._identification()
        everyone = class_in(submissions, by)
        self._everyone = everyone
        self._run = self._new_run(everyone.platform)
        self._let_judges_grade(self._to_grade(by))
        self._begin()
        results = ClassResults(self._store, self._course)
        before = ClassResults(self._store, self._course, self._before) if self._before else None
        moves = list(moves_between(before, results)) if before else []
        summary, remarks = publish(results, pages=self._options.pages, told={learner for learner, _ in moves})
        ids = [each.id for each in everyone.learners]  # what judges said comes in the order of the class
        about_learners = [sentence for id in ids for sentence in self._remarks[id]]
        self._say([*everyone.remarks, *about_learners, *self._about_changes(), *remarks])
        return GradedClass(summary, [move for _, move in moves], [id for id in ids if id in self._faults])

    def _about_changes(self) -> Iterator[str]:
        """Sentences on results of other checks or programs than now, and on work that may be late."""
        only = self._options.only
        stale = {id: why for id, why in sorted(self._stale.items()) if id not in only}
        if stale and only:
            more = " ".join(f"--only {id}" for id in stale)
            yield f"Changed as well, and not graded again: {', '.join(stale)}. Add {more}."
        elif stale:
            why = " and ".join(sorted(set().union(*stale.values())))
            yield f"Graded again, since {why} changed: {', '.join(stale)}."
        if self._anew:
            yield f"Handed in anew: {first_few(sorted(self._anew))}. The roster must have the times of that."

    def _to_grade(self, by: Identification) -> Sequence[SubmissionFiles]:
        """What is to be looked at. Raises KataError when the run before cannot go on with it."""
        before, everyone = self._before, self._everyone
        if not before:
            return everyone.submissions
        given = [entry for entry, learner in by.matches.items() if learner]
        self._say(refuse_others(self._store, before, self._run, everyone, given))
        if before.exercises and not self._options.only:
            self._say([f"The exercises are those of the run before: {', '.join(before.exercises)}."])
        self.has_results = True
        return everyone.submissions

    def _say(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._options.say(sentence)

    # --- what the run before decides ----------------------------------------------------------------------------------

    def _identification(self) -> Identification:
        """Whose each submission is: by the roster that was given, or by that of the run before."""
        options, used = self._options, self._before.platform if self._before else None
        told = self._store.unmatched() if self._before else []
        return Identification(
            self._roster(),
            used or options.platform,
            matches=read_matches(options.matches) if options.matches else {},
            ignored=(self._out, *(path for path in (options.roster, options.matches) if path)),
            before={each.entry: each.learner for each in told},
            graded=self._store.entries(self._before) if self._before else {},
        )

    def _roster(self) -> tuple[Learner, ...] | None:
        if self._options.roster is not None:
            ever = {id for each in self._store.runs.values() for id in each.kits}
            return read_roster(self._options.roster, self._course, withdrawn=ever)
        everyone = self._store.standing(self._last) if self._last else []
        if enrolled := tuple(each for each, _ in everyone if each.in_roster):
            self._say(["The roster is that of the run before."])
            return enrolled
        return None

    def _new_run(self, made_by: Platform) -> Run:
        """This run, not yet stored. One that goes on has the exercises of the run before, and those that are named."""
        course, options, before = self._course, self._options, self._before
        seed = before.seed if before and options.seed is None else course.seed_for(options.seed)
        exercises = tuple(options.only)
        if before:
            chosen = (*before.exercises, *exercises) if before.exercises else ()
            exercises = tuple(each.id for each in course.exercises if each.id in chosen)
        now = run_of(course, options.level, seed, exercises)
        return replace(now, platform=options.platform or made_by, first=before.first if before else 0)

    # --- grading ------------------------------------------------------------------------------------------------------

    def _let_judges_grade(self, theirs: Sequence[SubmissionFiles]) -> None:
        run, scheduler = self._run, self._options.scheduler
        jobs = max(1, min(self._options.jobs, len(theirs)))
        judges = ClusterJudges(scheduler, run) if scheduler else self._options.judges(jobs, run)
        try:
            with self._options.progress(len(theirs)) as advance:
                width = WIDTH if scheduler else jobs
                for task, results in graded(judges, width, run, self._tasks(theirs, advance)):
                    self._keep(task, results)
                    advance(task.files.entry, True)
        finally:
            judges.shutdown()
            if isinstance(judges, ClusterJudges):
                self._say(judges.remarks)

    def _tasks(self, theirs: Sequence[SubmissionFiles], advance: Callable[[str, bool], None]) -> Iterator[GradingTask]:
        """What is to be graded of each submission, where there is anything and it can be read."""
        for files in theirs:
            submission, reason = Submission(files.entry, {}, ()), ""
            try:
                submission = files.read(self._course)
            except OutOfReach as error:
                reason = str(error)
            except Exception as error:  # a fault of the grader, which costs nobody else anything
                reason = f"The grader broke while it read this submission ({type(error).__name__})."
            lacking = {learner: self._lacking(learner, None if reason else submission) for learner in files.learners}
            task = GradingTask(files, submission, lacking)
            if task.exercises and not reason:
                yield task
            else:
                self._keep(task, reason or ())
                advance(files.entry, False)

    def _lacking(self, learner: str, submission: Submission | None) -> dict[str, bool]:
        """The exercises without a result of just this work, by the checks and programs of now where these are to count.

        Of each, whether there is an earlier result. submission: None if the work cannot be read.
        """
        run, only = self._run, self._options.only
        rows = self._store.rows(learner, self._before) if self._before else {}
        lacking = {}
        for id in run.kits:
            row = rows[id] if id in rows and rows[id].result.status != "error" else None
            if not (row and submission and row.digest == submission.digest(id)):
                lacking[id] = row is not None
            elif why := causes(terms_of(row.run, id), terms_of(run, id)):
                self._stale.setdefault(id, set()).update(why)
                if not only or id in only:
                    lacking[id] = True
        return lacking

    # --- keeping ------------------------------------------------------------------------------------------------------

    def _keep(self, task: GradingTask, results: Sequence[ExerciseResult] | str) -> None:
        """Store what a submission came to, or that it was not graded, for a reason.

        Each learner gets those results that they do not have. A fault of the grader takes no earlier result away.
        """
        learners = task.files.learners
        if isinstance(results, str):
            for learner in learners:
                self._remarks[learner].append(f"{learner} was not graded. {results}")
            results = [_ungraded(id, self._course.exercise(id).points, results) for id in task.exercises]
        has_failed = any(each.status == "error" for each in results)
        if has_failed:
            self._faults.update(learners)
        elif {each.status for each in results} == {"missing"} and len(results) == len(self._run.kits):
            said = sorted(task.submission.problems, key=lambda each: each.kind not in ("unreadable", "refused"))
            for learner in learners if said else ():
                self._remarks[learner].append(f"{learner}: {said[0].message}")
        todo: dict[str, list[ExerciseResult]] = {}
        for learner, lacking in task.lacking.items():
            new = [each for each in results if each.id in lacking]
            kept = [each for each in new if each.status != "error" or not lacking[each.id]]
            last = self._store.last_submission(learner, self._before)[0] if self._before else ""
            is_another = last not in ("", task.submission.digest())
            if is_another and self._course.policy.due:
                self._anew.add(learner)
            if kept or (is_another and not has_failed):
                todo[learner] = kept
        if todo:
            self._begin()
            with self._store.transaction():
                for learner, kept in todo.items():
                    self._store.add(self._run, learner, task.submission, kept)

    def _begin(self) -> None:
        """Store the run with its class, if that was not done."""
        if not self._run.id:
            work = {id for files in self._everyone.submissions for id in files.learners}
            self._run = self._store.begin(self._run, self._everyone.learners, work, self._everyone.unmatched)
            self.has_results = True


def _ungraded(exercise: str, worth: float, reason: str) -> ExerciseResult:
    """A result without points. reason: one sentence about what happened; learners may see it."""
    check = CheckResult(
        name="grading",
        title="The grader grades what was handed in.",
        outcome="error",
        points=0.0,
        max_points=0.0,
        visible=False,
        message=f"The grader failed here; that is its own fault, not the learner's. {reason}",
    )
    return ExerciseResult(
        id=exercise, status="error", points=0.0, max_points=worth, checks=(check,), diagnosis=(), seconds=0.0
    )
