"""Grades a class: from a folder of submissions to final points, changed points and pages in OUT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader.course import Course
from grader.errors import EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.judge.seeds import seed_for
from grader.render.class_summary import ClassSummary
from grader.sandbox.launch import MachineError
from grader.sandbox.levels import Level

from .class_folder import class_in
from .cluster import ClusterJudges, NoWorkerLeft
from .dispatch import CHUNK
from .final_points import apply_policy
from .lms_names import Platform
from .members import Members
from .played_maps import keep_played
from .pool import Judges
from .regrading import Move
from .results_file import RESULTS, read_results, ungraded
from .run import ClassRun, sole_run
from .run_header import RunHeader, Terms, header_of, read_run
from .same_class import as_before, refuse_another_roster, rows_before, source_of
from .summary import summarize


@dataclass(frozen=True)
class ClassOptions:
    """How a class is graded.

    only: the exercises; those of the run before, or all, if empty. seed: that of the run before, or a fresh one, if
    None. scheduler: the address of a dask scheduler, whose workers grade instead of judges on this machine. platform:
    the one that made the file names; detected if None.
    """

    level: Level
    jobs: int = 1
    scheduler: str | None = None
    resume: bool = False
    roster: Path | None = None
    platform: Platform | None = None
    only: Sequence[str] = ()
    seed: int | None = None
    pages: bool = False


class Screen(Protocol):
    """What a run shows while it goes on."""

    def say(self, sentence: str) -> None:
        """Show a sentence."""

    def progress(self, total: int) -> AbstractContextManager[Callable[[str, bool], None]]:
        """A progress bar. The yielded function gets a learner's name, and whether there was anything to grade."""


@dataclass(frozen=True)
class GradedClass:
    """What a run came to. faults: learners whom the grader itself failed at. disputes: whose work is not clear."""

    summary: ClassSummary
    moves: Sequence[Move]
    faults: Sequence[str]
    disputes: Sequence[str]


def grade_class(submissions: Path, out: Path, course: Course, options: ClassOptions, screen: Screen) -> GradedClass:
    """Grade the class in a folder or a zip into OUT.

    Raises KataError when it cannot be graded, or not to its end: then the sentence says how many records are kept.
    MachineError when this machine cannot isolate; OSError.
    """
    with sole_run(out):
        work = _ClassWork(submissions, out, course, options, screen)
        try:
            return work.grade()
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
    def __init__(self, submissions: Path, out: Path, course: Course, options: ClassOptions, screen: Screen) -> None:
        # a cluster's worker has another working folder
        self._submissions = submissions.absolute() if options.scheduler else submissions
        self._out, self._course, self._options, self._screen = out, course, options, screen
        self._run: ClassRun | None = None

    @property
    def has_results(self) -> bool:
        """Whether OUT holds records of this run."""
        return self._run is not None and self._run.has_results

    def kept(self) -> str:
        """A sentence on what is kept of a run that did not come to its end."""
        if not self.has_results:
            return "Nothing was graded."
        try:
            done, left = len(read_results(self._out)), len(ungraded(self._out))
        except KataError as error:
            return str(error)
        return f"{done} of {done + left} are graded and kept in {self._out}; go on with --resume."

    def grade(self) -> GradedClass:
        out, course, options = self._out, self._course, self._options
        earlier = read_run(out) if options.resume else None
        same = as_before(earlier, options.roster, options.platform, course, out)
        rows = rows_before(out, earlier, same.roster)
        terms = self._terms(earlier)
        unpacked = out.absolute() if options.scheduler else out
        with class_in(self._submissions, unpacked, course, same.reading_options(rows)) as members:
            source = source_of(self._submissions, same, members)
            refuse_another_roster(out, earlier, source, members, rows)
            if not members.entries and not (options.resume and (out / RESULTS).exists()):
                self._say([*members.remarks, *members.disputes])
                raise KataError("Nothing was graded, since nobody knows whose any submission is.")
            header = header_of(course, terms, self._arguments(), source)
            self._run = run = ClassRun(out, members, course, terms, header)
            if options.resume:
                run.go_on(again=bool(options.only) and earlier is not None and bool(earlier.differences(header)))
            self._let_judges_grade(run, terms, header, members)
            keep_played(out, members.entries)
        remarks = apply_policy(out, course)
        run.settle_moves()
        self._say([*same.remarks, *self._chosen_before(earlier), *run.tally.remarks, *remarks, *members.disputes])
        return GradedClass(summarize(out, course, pages=options.pages), run.moves, run.tally.faults, members.disputes)

    def _terms(self, earlier: RunHeader | None) -> Terms:
        options, there = self._options, {each.id for each in self._course.exercises}
        only = options.only or [id for id in (earlier.only if earlier else ()) if id in there]
        seed = earlier.seed if earlier and options.seed is None else seed_for(self._course, options.seed)
        return Terms((self._course.root / "course.yml").absolute(), options.level, seed, tuple(only))

    def _arguments(self) -> dict[str, str]:
        """What was typed, to be kept with the results."""
        options = self._options
        told = {"submissions": str(self._submissions), "roster": str(options.roster or ""), "jobs": str(options.jobs)}
        told |= {"scheduler": options.scheduler} if options.scheduler else {}
        return told | ({"names": options.platform} if options.platform else {})

    def _chosen_before(self, earlier: RunHeader | None) -> list[str]:
        """A sentence about exercises of the earlier run that were not named this time."""
        if self._options.only or earlier is None or not earlier.only:
            return []
        return [f"The exercises are those of the run before: {', '.join(earlier.only)}."]

    def _say(self, sentences: Sequence[str]) -> None:
        for sentence in sentences:
            self._screen.say(sentence)

    def _let_judges_grade(self, run: ClassRun, terms: Terms, header: RunHeader, members: Members) -> None:
        options = self._options
        if options.scheduler is None:
            self._grade_with(run, Judges(min(options.jobs, run.tally.total), terms), options.jobs)
            return
        judges = ClusterJudges(options.scheduler, terms, header, members.entries)
        at_first = len(judges.remarks)
        self._say(judges.remarks[:at_first])
        try:
            self._grade_with(run, judges, judges.width(len(members.entries), CHUNK))
        finally:
            self._say(judges.remarks[at_first:])

    def _grade_with(self, run: ClassRun, judges: Executor, width: int) -> None:
        try:
            with self._screen.progress(run.tally.total) as note_graded:
                run.grade(judges, width, note_graded)
        finally:
            judges.shutdown(wait=False, cancel_futures=True)
