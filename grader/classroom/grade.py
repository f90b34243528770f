"""Grades a class: from a folder of submissions to the database, results.jsonl, and pages in OUT.

Every run does the same: of each submission it grades the exercises that have no result of just this source, by just
these checks and programs. So a first run grades all, and one that goes on grades what is new or changed. One for which
exercises are named leaves the others as they are, wherever there is a result of just this source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course import Course
from grader.errors import EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.intake import Submission
from grader.intake.walk import OutOfReach
from grader.record import ExerciseResult, not_graded
from grader.render.class_summary import ClassSummary
from grader.render.wording import first_few
from grader.sandbox.levels import Level, MachineError

from .class_folder import SubmissionFiles
from .class_list import ClassList, Identification, class_in
from .grading_terms import Run, differences, run_of, terms_of
from .judging import GradingTask, Pool, graded
from .platforms import Platform
from .results import ClassResults, publish
from .roster import Learner, read_roster
from .store import Store, writing
from .unmatched import TAKEN_AWAY, UNMATCHED, read_matches, write_unmatched

FIXED = ("the course", "the seed", "the isolation", "the platform")  # in all runs of one grading


@dataclass(frozen=True)
class ClassOptions:
    """How a class is graded.

    say: shows a sentence. progress: a progress bar for so many submissions; what it yields is called after each.
    judges: starts the judges of a run. resume, anew: whether to go on with what OUT holds, or to begin again. platform:
    what made the file names; found out if None. matches: a filled unmatched.csv; to go on, that in OUT if None. only:
    the exercises; those of the run before, or all, if empty. seed: that of the run before, or a fresh one, if None.
    """

    level: Level
    say: Callable[[str], None]
    progress: Callable[[int], AbstractContextManager[Callable[[], None]]]
    judges: Callable[[Run], Pool]
    resume: bool = False
    anew: bool = False
    roster: Path | None = None
    platform: Platform | None = None
    matches: Path | None = None
    only: Sequence[str] = ()
    seed: int | None = None
    pages: bool = False


def grade_class(folder: Path, out: Path, course: Course, options: ClassOptions) -> tuple[ClassSummary, list[str]]:
    """Grade the class in a folder into OUT. Returns its summary, and the learners at whom the grader itself failed.

    Raises KataError when it cannot be graded, or not to its end: then the sentence says how many records are kept.
    MachineError when this machine cannot isolate; OSError.
    """
    if out.exists() and folder.exists() and out.samefile(folder):
        raise KataError(f"{out} holds what was handed in: give another folder for the results.")
    with writing(out) as store:
        work = _ClassRun(folder, store, course, options)
        try:
            work.let_judges_grade()
        except KeyboardInterrupt:
            raise KataError(f"Stopped. {work.kept() or 'Nothing was graded.'}", EXIT_INTERRUPTED) from None
        except (MachineError, KataError) as error:
            if not (kept := work.kept()):
                raise
            if isinstance(error, MachineError):
                error = KataError(f"Grading cannot go on ({error}).", EXIT_CANNOT_ISOLATE)
            raise KataError(f"{error} {kept}", error.exit_status) from None
        return work.publish()


class _ClassRun:
    """One run. It is stored with its first submission, so that a run that can grade nothing changes nothing."""

    def __init__(self, folder: Path, store: Store, course: Course, options: ClassOptions) -> None:
        """Find out whose each submission is. Raises KataError if this run cannot go on with the one before."""
        self._store, self._course, self._options = store, course, options
        if store.runs and not (options.resume or options.anew):
            raise KataError(
                f"{store.folder} holds a graded class. --resume goes on with it; --anew begins again, and the earlier "
                "run stays in the database."
            )
        self._before = store.runs[-1] if store.runs and options.resume else None
        self._stale: set[str] = set()
        """Exercises with results by other checks or programs than those of now."""
        self._faults: dict[str, str] = {}
        """Learners at whom the grader failed, and why their submission was not graded; empty for a fault in a check."""
        self._everyone = class_in(folder, self._identification())
        self._run = self._new_run()
        if self._before:
            self._say(_refuse_others(store, self._before, self._run, self._everyone))

    def kept(self) -> str:
        """A sentence on what is kept of a run that did not come to its end; "" if OUT has nothing of this grading."""
        if not (self._before or self._run.id):
            return ""
        results = ClassResults(self._store, self._course)
        with suppress(OSError):  # the disk may be full; the next run writes them
            _, remarks = publish(results)
            self._say([*(self._about_changes() if self._run.id else ()), *remarks])
        done, left = len(results.learners), len(results.ungraded)
        return f"{done} of {done + left} are graded and kept in {self._store.folder}; go on with --resume."

    def publish(self) -> tuple[ClassSummary, list[str]]:
        """Write what people read of the class, and say what they have to know."""
        summary, remarks = publish(ClassResults(self._store, self._course), pages=self._options.pages)
        faults = [each.id for each in self._everyone.learners if each.id in self._faults]
        reasons = [f"{id} was not graded. {self._faults[id]}" for id in faults if self._faults[id]]
        self._say([*self._everyone.remarks, *reasons, *self._about_changes(), *remarks])
        return summary, faults

    def _about_changes(self) -> Iterator[str]:
        """Sentences on results of other checks or programs than now, and on work that may be late."""
        only, stale = self._options.only, sorted(self._stale.difference(self._options.only))
        if stale and only:
            more = " ".join(f"--only {id}" for id in stale)
            yield f"Changed as well, and not graded again: {', '.join(stale)}. Add {more}."
        elif stale:
            yield f"Graded again, since the course or the programs changed: {', '.join(stale)}."
        if self._course.policy.due and (anew := [each.id for each in self._everyone.learners if self._is_anew(each)]):
            yield f"Handed in anew: {first_few(anew)}. The roster must have the times of that."

    def _is_anew(self, learner: Learner) -> bool:
        """Whether a learner handed in something else than in the run before."""
        runs = (self._before, self._run)
        (_, before, _), (entry, now, _) = (self._store.last_submission(learner.id, run) for run in runs)
        return before not in ("", now) and entry != TAKEN_AWAY

    def _say(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._options.say(sentence)

    # --- what the run before decides ----------------------------------------------------------------------------------

    def _identification(self) -> Identification:
        """Whose each submission is: by the roster that was given, or by that of the run before."""
        options, before = self._options, self._before
        filled = self._store.folder / UNMATCHED
        matches = options.matches or (filled if before and filled.exists() else None)
        return Identification(
            self._roster(),
            before.platform if before else options.platform,
            matches=read_matches(matches) if matches else {},
            ignored=(self._store.folder, *(path for path in (options.roster, options.matches) if path)),
            before={each.entry: each.learner for each in self._store.unmatched() if before and each.learner},
            graded=self._store.entries(before),
        )

    def _roster(self) -> tuple[Learner, ...] | None:
        if self._options.roster is not None:
            return read_roster(self._options.roster, self._course)
        everyone = self._store.standing(self._store.runs[-1]) if self._store.runs else []
        if enrolled := tuple(each for each, _ in everyone if each.in_roster):
            self._say(["The roster is that of the run before."])
            return enrolled
        return None

    def _new_run(self) -> Run:
        """This run, not yet stored. One that goes on has the exercises of the run before, and those that are named."""
        course, options, before = self._course, self._options, self._before
        seed = before.seed if before and options.seed is None else course.seed_for(options.seed)
        exercises = tuple(options.only)
        if before:
            chosen = (*before.exercises, *exercises) if before.exercises else ()
            exercises = tuple(each.id for each in course.exercises if each.id in chosen)
            if exercises and not options.only:
                self._say([f"The exercises are those of the run before: {', '.join(exercises)}."])
        now = run_of(course, options.level, seed, exercises)
        made_by = options.platform or self._everyone.platform
        return replace(now, platform=made_by, first=before.first if before else 0)

    # --- grading ------------------------------------------------------------------------------------------------------

    def let_judges_grade(self) -> None:
        """Grade what is to be graded, and store it."""
        judges = self._options.judges(self._run)
        try:
            with self._options.progress(len(self._everyone.submissions)) as advance:
                for task, results in graded(judges, self._run, self._tasks(advance)):
                    self._keep(task, results)
                    advance()
        finally:
            judges.shutdown()
            self._say(judges.remarks)
        self._begin()

    def _tasks(self, advance: Callable[[], None]) -> Iterator[GradingTask]:
        """What is to be graded of each submission, where there is anything and it can be read."""
        for files in self._everyone.submissions:
            submission, reason = self._read(files)
            task = GradingTask(submission, {each: self._lacking(each, submission, reason) for each in files.learners})
            if task.exercises and not reason:
                yield task
            else:
                self._keep(task, reason or ())
                advance()

    def _read(self, files: SubmissionFiles) -> tuple[Submission, str]:
        """A submission, and why it cannot be read; "" if it can."""
        try:
            return files.read(self._course), ""
        except OutOfReach as error:
            reason = str(error)
        except Exception as error:  # it costs nobody else anything
            reason = f"The grader broke while it read this submission ({type(error).__name__})."
        return Submission(files.entry, {}, ()), reason

    def _lacking(self, learner: str, submission: Submission, reason: str) -> list[str]:
        """The exercises without a result that counts of just this work; all if it cannot be read, for a reason."""
        rows, only = self._store.rows(learner, self._before), self._options.only
        lacking = []
        for id in self._run.kits:
            row = rows.get(id)
            if reason or row is None or row.result.status == "error" or row.digest != submission.digest(id):
                lacking.append(id)
            elif terms_of(row.run, id) != terms_of(self._run, id):
                self._stale.add(id)
                if not only or id in only:
                    lacking.append(id)
        return lacking

    def _keep(self, task: GradingTask, results: Sequence[ExerciseResult] | str) -> None:
        """Store what a submission came to, or why it was not graded; each learner gets the results that they lack."""
        reason = ""
        if isinstance(results, str):
            reason = results
            results = [not_graded(id, self._course.exercise(id).points, reason) for id in task.exercises]
        if any(each.status == "error" for each in results):
            self._faults |= dict.fromkeys(task.lacking, reason)
        self._begin()
        theirs = {who: [each for each in results if each.id in lacking] for who, lacking in task.lacking.items()}
        self._store.add(self._run, task.submission, theirs)

    def _begin(self) -> None:
        """Store the run with its class, and write what counts for nobody, if that was not done."""
        if not self._run.id:
            self._run = self._store.begin(self._run, self._everyone)
            write_unmatched(self._store.folder / UNMATCHED, self._everyone.unmatched)


# --- whether a run can go on with the one before ----------------------------------------------------------------------


def _refuse_others(store: Store, before: Run, now: Run, everyone: ClassList) -> Iterator[str]:
    """Raise KataError if a run has other terms, or if a row would be lost or another's.

    Yields a sentence on learners who are gone.
    """
    if told := [words for name, words in differences(before, now).items() if name in FIXED]:
        advice = "--anew begins again; or give another folder."
        raise KataError(f"{store.folder} was graded on other terms: {'; '.join(told)}. {advice}")
    graded = [learner for learner, standing in store.standing(before) if standing == "graded"]
    there = {each.id for each in everyone.learners}
    has_roster = any(each.in_roster for each in everyone.learners)
    if not has_roster:  # whose work is in dispute is there
        entries = store.entries(before)
        there.update(*(entries.get(each.entry, ()) for each in everyone.unmatched if each.is_submission))
    left = [each.id for each in graded if each.id not in there]
    if left and (has_roster or len(left) == len(graded)):
        advice = "Give the roster and the folder of that run, with new learners added, or another OUT"
        raise KataError(f"{first_few(left)} would lose their row. {advice}; --anew begins again.")
    if left:
        yield f"Not among the submissions any more, so the record is kept: {', '.join(left)}."
    if everyone.moved:
        raise KataError(f"{' '.join(everyone.moved)} Say whose they are with --match.")
