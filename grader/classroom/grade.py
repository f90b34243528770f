"""Grades a class: from a folder of submissions to the database, results.jsonl, and pages in OUT."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from grader.course import Course
from grader.errors import EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.judge.seeds import seed_for
from grader.render.class_summary import ClassSummary
from grader.sandbox.levels import Level, MachineError

from .class_list import ClassList, Identification, class_in
from .cluster import ClusterJudges, NoWorkerLeft
from .cluster_worker import job_of
from .dispatch import CHUNK
from .earlier_run import is_graded_again, left_behind, refuse_others
from .grading_terms import Terms, run_of
from .moves import Move, Standings, moves_between, standings
from .platforms import Platform
from .pool import Judges
from .publishing import changed_aside, publish, published, stale_exports
from .results import ClassResults
from .roster import Roster, read_roster
from .run import ClassRun
from .store import Run, Store, writing
from .unmatched import UNMATCHED, as_written, read_matches, write_unmatched

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
        work = _ClassWork(submissions, store, course, options, screen)
        try:
            return work.grade(judges)
        except KeyboardInterrupt:
            raise KataError(f"Stopped. {work.kept()}", EXIT_INTERRUPTED) from None
        except NoWorkerLeft as error:
            raise KataError(f"{error} {work.kept()}", EXIT_CANNOT_ISOLATE) from None
        except MachineError as error:
            if not work.has_results:
                raise
            raise KataError(f"Grading cannot go on ({error}). {work.kept()}", EXIT_CANNOT_ISOLATE) from None
        except KataError as error:
            if not work.has_results:
                raise
            raise KataError(f"{error} {work.kept()}", error.exit_status) from None


class _ClassWork:
    def __init__(self, submissions: Path, store: Store, course: Course, options: ClassOptions, screen: Screen) -> None:
        # a cluster's worker has another working folder
        self._submissions = submissions.absolute() if options.scheduler else submissions
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
        self._run: ClassRun | None = None

    @property
    def has_results(self) -> bool:
        """Whether OUT holds results of this grading."""
        return self._run is not None and (self._before is not None or self._run.run.id > 0)

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
        out = self._out.absolute() if self._options.scheduler else self._out
        by = self._identification()
        with class_in(self._submissions, out / UNPACKED, self._course, by) as everyone:
            terms = self._terms()
            if not everyone.submissions and self._before is None:
                self._say(everyone.remarks)
                write_unmatched(self._out / UNMATCHED, everyone.unmatched)
                raise KataError(
                    "Nothing was graded, since nobody knows whose any submission is: fill the column learner of "
                    f"{self._out / UNMATCHED}, and give it with --match FILE."
                )
            now = run_of(self._course, terms, self._submissions, everyone.platform)
            told = {*by.remembered, *(entry for entry, learner in by.matches.items() if learner)}
            again = self._demand_same_class(now, everyone, told)
            earlier: Standings = {}
            if self._before:
                merged = {**self._before.kits, **now.kits} if again else now.kits
                chosen = self._before.exercises if again else now.exercises
                now = replace(now, first=self._before.first, kits=merged, exercises=chosen)
                earlier = standings(ClassResults(self._store, self._course))
            before = published(self._out)
            self._run = run = ClassRun(self._store, now, everyone, self._course, before=self._before, again=again)
            self._let_judges_grade(run, terms, make_judges)
        results = ClassResults(self._store, self._course)
        moves = moves_between(earlier, standings(results)) if earlier else []
        summary = publish(self._out, results, pages=self._options.pages)
        self._say([*everyone.remarks, *self._chosen_before(), *run.tally.remarks, *results.remarks()])
        if earlier:
            self._say([*changed_aside(before, results, {each.learner for each in moves}), *stale_exports(self._out)])
        unmatched = [each.entry for each in everyone.unmatched if each.is_submission]
        return GradedClass(summary, moves, list(dict.fromkeys(run.tally.faults)), unmatched)

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
        remembered = {as_written(each.entry): each.learner for each in told if each.learner}
        is_begun = self._before is not None and bool(self._store.graded(self._before))
        return Identification(self._roster(), options.platform or used, matches, ignored, remembered, is_begun)

    def _roster(self) -> Roster | None:
        if self._options.roster is not None:
            known = self._last.kits if self._last else ()
            return read_roster(self._options.roster, self._course, withdrawn=known)
        enrolled = tuple(each.learner for each in self._store.members(self._last) if each.learner.in_roster)
        if not (self._last and enrolled):
            return None
        self._say(["The roster is that of the run before."])
        return Roster(self._out, enrolled)

    def _terms(self) -> Terms:
        options, there = self._options, {each.id for each in self._course.exercises}
        only = options.only or [id for id in (self._before.exercises if self._before else ()) if id in there]
        seed = self._before.seed if self._before and options.seed is None else seed_for(self._course, options.seed)
        return Terms((self._course.root / "course.yml").absolute(), options.level, seed, tuple(only))

    def _chosen_before(self) -> list[str]:
        """A sentence about exercises of the earlier run that were not named this time."""
        if self._options.only or not (self._before and self._before.exercises):
            return []
        return [f"The exercises are those of the run before: {', '.join(self._before.exercises)}."]

    def _demand_same_class(self, now: Run, everyone: ClassList, matched: Collection[str]) -> bool:
        """Whether some exercises are graded again. Raises KataError for other terms, or another class."""
        if self._before is None:
            return False
        are_named = bool(self._options.only)
        again = is_graded_again(self._store, self._before, now, self._course, are_named=are_named)
        if again and (behind := left_behind(self._before, now, self._course)):
            more = " ".join(f"--only {id}" for id in behind)
            self._say([f"Changed as well, and not graded again: {', '.join(behind)}. Add {more}."])
        refuse_others(self._store, self._before, everyone, matched)
        return again

    # --- grading ------------------------------------------------------------------------------------------------------

    def _let_judges_grade(self, run: ClassRun, terms: Terms, make_judges: MakeJudges) -> None:
        options, total = self._options, run.tally.total
        if options.scheduler is None:
            self._grade_with(run, terms, make_judges(max(1, min(options.jobs, total)), terms), options.jobs)
            return
        judges = ClusterJudges(options.scheduler, job_of(self._course, terms, run.run, run.submissions))
        at_first = len(judges.remarks)
        self._say(judges.remarks[:at_first])
        try:
            self._grade_with(run, terms, judges, judges.width(total, CHUNK))
        finally:
            self._say(judges.remarks[at_first:])

    def _grade_with(self, run: ClassRun, terms: Terms, judges: Executor, width: int) -> None:
        try:
            with self._screen.progress(run.tally.total) as advance:
                run.grade(judges, width, terms, advance)
        finally:
            judges.shutdown(wait=False, cancel_futures=True)

    def _say(self, sentences: Sequence[str]) -> None:
        for sentence in sentences:
            self._screen.say(sentence)
