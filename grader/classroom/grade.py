"""Grades a class: from a folder of submissions to the database, results.jsonl, and pages in OUT.

Every run does the same: of each submission it grades the exercises that have no result of just this source, by just
these checks. So a first run grades all, one that goes on grades what is new or changed, and one for which exercises are
named grades these again for everybody, if their checks have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from grader.course import Course
from grader.errors import EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.intake import Submission
from grader.intake.names import first_few
from grader.judge.seeds import seed_for
from grader.played import as_bytes
from grader.record import ExerciseResult
from grader.render.class_summary import ClassSummary
from grader.sandbox.levels import Level, MachineError

from .class_contents import UNMATCHED, read_matches, write_unmatched
from .class_list import ClassList, Identification, class_in
from .cluster import ClusterJudges, NoWorkerLeft
from .earlier_run import Move, exercises_of, moves_between, refuse_other_terms, refuse_others
from .grading_terms import Run, Terms, run_of
from .judging import GradingTask
from .platforms import Platform
from .pool import Judges, graded, ungraded
from .results import ClassResults, changed_aside, publish, published, stale_exports
from .roster import Roster, read_roster
from .store import ClassMember, Row, Store, writing
from .submission_files import OutOfReach, SubmissionFiles, digest_of, played_in

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
        work = _ClassRun(submissions, store, course, options, screen)
        try:
            return work.grade(judges)
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

    def __init__(self, submissions: Path, store: Store, course: Course, options: ClassOptions, screen: Screen) -> None:
        self._submissions, self._store, self._out, self._course = submissions, store, store.folder, course
        self._options, self._screen = options, screen
        runs = store.runs()
        if runs and not (options.resume or options.anew):
            raise KataError(
                f"{self._out} holds a graded class. --resume goes on with it; --anew begins again, and the earlier run "
                "stays in the database."
            )
        self._last = runs[-1] if runs else None
        self._before = self._last if options.resume else None
        self._graded_before = store.graded(self._before) if self._before else set[str]()
        self._entries = store.entries(self._before) if self._before else dict[str, set[str]]()
        self._times = {each.learner.id: dict(each.learner.hand_in.at) for each in store.members(self._last)}
        self._versions = {each.id: each.versions for each in runs}
        self._run: Run | None = None
        self._left: list[str] = []
        """Exercises that were changed and are not graded again: not named for it."""
        self._reading: dict[str, tuple[SubmissionFiles, bytes]] = {}
        self._handed_in_anew: list[str] = []
        self._faults: list[str] = []
        self._kept_points: list[str] = []
        """Learners at whom the grader failed, and who keep an earlier result."""
        self._waiting: list[str] = []
        self._remarks: list[str] = []

    @property
    def has_results(self) -> bool:
        """Whether OUT holds results of this grading."""
        return self._run is not None and (self._before is not None or self._run.id > 0)

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

    def grade(self, make_judges: MakeJudges) -> GradedClass:
        """Grade the class, write what people read of it, and say what they have to know."""
        by = self._identification()
        with class_in(self._submissions, self._out / UNPACKED, self._course, by) as everyone:
            if not everyone.submissions and self._before is None:
                self._say(everyone.remarks)
                write_unmatched(self._out / UNMATCHED, everyone.unmatched)
                raise KataError(
                    "Nothing was graded, since nobody knows whose any submission is: fill the column learner of "
                    f"{self._out / UNMATCHED}, and give it with --match FILE."
                )
            self._run = run = self._new_run(everyone)
            if self._before:
                given = {entry for entry, learner in by.matches.items() if learner}
                refuse_others(self._store, self._before, everyone, {*by.remembered, *given})
            before = published(self._out)
            self._everyone = everyone
            self._let_judges_grade(run, make_judges)
            self._begun()
        results = ClassResults(self._store, self._course)
        moves = (
            list(moves_between(ClassResults(self._store, self._course, self._before), results)) if self._before else []
        )
        summary = publish(self._out, results, pages=self._options.pages)
        self._say([*everyone.remarks, *self._remarks, *self._about_others(), *results.remarks()])
        if self._before:
            self._say([*changed_aside(before, results, {each.learner for each in moves}), *stale_exports(self._out)])
        unmatched = [each.entry for each in everyone.unmatched if each.is_submission]
        return GradedClass(summary, moves, list(dict.fromkeys(self._faults)), unmatched)

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
        ignored = (self._out, *(path for path in (options.roster, options.matches) if path))
        matches = read_matches(options.matches) if options.matches else {}
        told = self._store.unmatched() if self._before else []
        remembered = {each.entry: each.learner for each in told if each.learner}
        uncounted = [each.entry for each in told if not each.learner]
        return Identification(self._roster(), options.platform or used, matches, ignored, remembered, uncounted)

    def _roster(self) -> Roster | None:
        if self._options.roster is not None:
            known = self._last.kits if self._last else ()
            return read_roster(self._options.roster, self._course, withdrawn=known)
        members = self._store.members(self._last, alone=True) if self._last else []
        enrolled = tuple(each.learner for each in members if each.learner.in_roster)
        if not enrolled:
            return None
        self._say(["The roster is that of the run before."])
        return Roster(self._out, enrolled)

    def _new_run(self, everyone: ClassList) -> Run:
        """This run, not yet stored. Raises KataError for other terms than those of the run that goes on."""
        options, before = self._options, self._before
        seed = before.seed if before and options.seed is None else seed_for(self._course, options.seed)
        terms = Terms((self._course.root / "course.yml").absolute(), options.level, seed)
        chosen = exercises_of(before, self._course, options.only)
        now = run_of(self._course, terms, chosen, self._submissions, everyone.platform)
        if before is None:
            return now
        self._left = refuse_other_terms(self._store, before, now, options.only)
        if self._left:
            more = " ".join(f"--only {id}" for id in self._left)
            self._say([f"Changed as well, and not graded again: {', '.join(self._left)}. Add {more}."])
        kits = {id: before.kits[id] if id in self._left else kit for id, kit in now.kits.items()}
        return replace(now, first=before.first, kits=kits)

    # --- grading ------------------------------------------------------------------------------------------------------

    def _let_judges_grade(self, run: Run, make_judges: MakeJudges) -> None:
        options = self._options
        if options.scheduler is None:
            count = max(1, min(options.jobs, len(self._everyone.submissions)))
            self._grade_with(run.terms, make_judges(count, run.terms), count)
            return
        judges = ClusterJudges(options.scheduler, run)
        at_first = len(judges.remarks)
        self._say(judges.remarks[:at_first])
        try:
            self._grade_with(run.terms, judges, judges.width)
        finally:
            self._say(judges.remarks[at_first:])

    def _grade_with(self, terms: Terms, judges: Executor, width: int) -> None:
        try:
            with self._screen.progress(len(self._everyone.submissions)) as advance:
                for task, results in graded(judges, width, terms, self._tasks(advance)):
                    self._keep(task, results)
                    advance(task.submission.name, True)
        finally:
            judges.shutdown(wait=False, cancel_futures=True)

    def _tasks(self, advance: Callable[[str, bool], None]) -> Iterator[GradingTask]:
        """What is to be graded of each submission, where there is anything."""
        for files in self._everyone.submissions:
            task = self._task(files)
            if task is None:
                advance(files.entry, False)
            else:
                yield task

    def _task(self, files: SubmissionFiles) -> GradingTask | None:
        if self._left and not self._graded_before.issuperset(files.learners):
            graded = tuple(each for each in files.learners if each in self._graded_before)
            self._waiting += [each for each in files.learners if each not in graded] if graded else [files.entry]
            if not graded:
                return None
            files = replace(files, learners=graded)
        if own := [each for each in files.as_group if self._has_own(each, files.entry)]:
            told = f"{first_few(own)} handed in alone before: that counts, not the group's {files.entry}."
            self._remarks.append(told)
            files = replace(files, learners=tuple(each for each in files.learners if each not in own))
            if not files.learners:
                return None
        try:
            submission = files.read(self._course)
            played = played_in(files)
        except OutOfReach as error:
            self._unread(files, str(error))
            return None
        except Exception as error:  # a fault of the grader, which costs nobody else anything
            self._unread(files, f"The grader broke while it read this submission ({type(error).__name__}).")
            return None
        missing = self._missing(files, submission)
        self._reading[files.entry] = files, as_bytes(played) if played else b""
        if missing:
            return GradingTask(submission, missing)
        self._store_work(submission, ())
        return None

    def _has_own(self, learner: str, entry: str) -> bool:
        """Whether a learner was graded by another submission, of nobody else."""
        return learner not in self._entries.get(entry, ()) and {learner} in self._entries.values()

    def _unread(self, files: SubmissionFiles, reason: str) -> None:
        """Keep what there is of a submission that this machine cannot read."""
        if self._graded_before.issuperset(files.learners):
            self._remarks.append(f"{files.entry} keeps its results of the earlier run. {reason}")
        else:
            self._reading[files.entry] = files, b""
            self._keep(GradingTask(Submission(files.entry, {}, ()), self._chosen), reason)

    @property
    def _chosen(self) -> tuple[str, ...]:
        """The exercises that are graded where they have no result, in the order of the course."""
        assert self._run is not None
        chosen = self._run.exercises or [each.id for each in self._course.exercises]
        return tuple(each.id for each in self._course.exercises if each.id in chosen and each.id not in self._left)

    def _missing(self, files: SubmissionFiles, submission: Submission) -> tuple[str, ...]:
        """The exercises of which somebody has no result of just this work, by just these checks and programs."""
        known = [self._known(learner) for learner in files.learners]
        return tuple(
            id
            for id in self._chosen
            if not all(id in rows and self._is_of(rows[id], digest_of(submission, id)) for rows in known)
        )

    def _known(self, learner: str) -> dict[str, Row]:
        """The results of a learner in the runs before, by exercise; not where the grader failed."""
        rows = self._store.rows(learner, self._before) if self._before else []
        return {row.result.id: row for row in rows if row.result.status != "error"}

    def _is_of(self, row: Row, source: str) -> bool:
        assert self._run is not None
        is_same = (row.kit, row.source) == (self._run.kits[row.result.id], source)
        return is_same and self._versions[row.run] == self._run.versions

    # --- keeping ------------------------------------------------------------------------------------------------------

    def _keep(self, task: GradingTask, results: Sequence[ExerciseResult] | str) -> None:
        """Store what a submission came to, or that it was not graded, for a reason."""
        learners = self._reading[task.submission.name][0].learners
        if isinstance(results, str):
            self._remarks += [f"{learner} was not graded. {results}" for learner in learners]
            results = [ungraded(id, self._course.exercise(id).points, results) for id in task.exercises]
        self._store_work(task.submission, results)
        if any(each.status == "error" for each in results):
            self._faults += learners
        elif {each.status for each in results} == {"missing"} and len(results) == len(self._chosen):
            said = sorted(task.submission.problems, key=lambda each: each.kind not in ("unreadable", "refused"))
            self._remarks += [f"{learner}: {each.message}" for learner in learners for each in said[:1]]

    def _store_work(self, submission: Submission, results: Sequence[ExerciseResult]) -> None:
        """Store a submission that is new, with its results. A fault of the grader takes no earlier result away."""
        files, played = self._reading.pop(submission.name)
        todo: list[tuple[str, list[ExerciseResult]]] = []
        for learner in files.learners:
            known = self._known(learner)
            kept = [each for each in results if each.status != "error" or each.id not in known]
            if len(kept) < len(results):
                self._kept_points.append(learner)
            last, _ = self._store.last_submission(learner, self._before) if self._before else ("", ())
            is_new = last != digest_of(submission)
            if is_new and last:
                self._handed_in_anew.append(learner)
            if kept or (is_new and last and not results):
                todo.append((learner, kept))
        if todo:
            run = self._begun()
            with self._store.transaction():
                for learner, kept in todo:
                    self._store.add(run, learner, submission, kept, played)

    def _begun(self) -> Run:
        """The run, stored if it was not, with the class."""
        assert self._run is not None
        if not self._run.id:
            work = {id for files in self._everyone.submissions for id in files.learners}
            members = [ClassMember(each, each.id in work) for each in self._everyone.learners]
            self._run = self._store.begin(self._run, members, self._everyone.unmatched)
        return self._run

    def _about_others(self) -> Iterator[str]:
        """Sentences on learners who were in the run before, and on work that is not graded again."""
        listed = {each.id: each for each in self._everyone.learners}
        for id in sorted(self._graded_before - listed.keys()):
            yield f"{id} is not among the submissions any more; the record is kept."
        late = [id for id in self._handed_in_anew if (at := self._times.get(id)) and at == dict(listed[id].hand_in.at)]
        if late:
            yield (
                f"Handed in anew, while the roster still has the earlier time: {first_few(late)}. Give --roster "
                "with the times of today, as it may be late."
            )
        if self._kept_points:
            yield f"Not graded again, so the earlier points stay: {', '.join(self._kept_points)}."
        if self._waiting:
            yield (
                f"Without a record, so nothing is graded: {first_few(self._waiting)}. "
                "--resume grades them, when nothing is left that was changed."
            )
        if not self._options.only and self._before and self._before.exercises:
            yield f"The exercises are those of the run before: {', '.join(self._before.exercises)}."

    def _say(self, sentences: Sequence[str]) -> None:
        for sentence in sentences:
            self._screen.say(sentence)
