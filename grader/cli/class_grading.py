"""`kata grade-class`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.sandbox.launch import MachineError

from .app import TEACH, app
from .endings import EXIT_BAD_INPUT, EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, UsageError, stop
from .expected import demand_class
from .grading import page_of
from .terms import (
    CourseFile,
    Exempt,
    Extensions,
    HandedIn,
    Hints,
    Isolation,
    Only,
    PseudonymsToo,
    Raw,
    Seed,
    Units,
    chosen_exercises,
    console,
    course_at,
    final_records,
    level_called,
    refuse_exposed,
    seed_or_fresh,
    tell_who_is_who,
    times_given,
    titles_of,
    units_of,
)

if TYPE_CHECKING:
    from grader.classroom.entries import Entry
    from grader.classroom.lms_names import Platform
    from grader.classroom.results_file import Results
    from grader.classroom.run import ClassRun
    from grader.classroom.run_header import RunHeader, Terms
    from grader.course import Course

MINUTE = 60


@contextmanager
def class_progress(total: int) -> Iterator[Callable[[str, bool], None]]:
    """A progress bar on standard error when that is a terminal.

    The yielded function is called with each learner's name and whether there was anything to grade: a learner who keeps
    an earlier record is removed from the total, so that rate and remaining time are those of grading.
    """
    if not sys.stderr.isatty():
        yield lambda name, was_graded: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(TextColumn):
        def render(self, task: Task) -> Text:
            return Text(rate_in_words(task.speed))

    columns = (TextColumn("Grading"), BarColumn(), MofNCompleteColumn(), Rate(""), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        left_out = 0

        def note_graded(name: str, was_graded: bool) -> None:
            nonlocal left_out
            if was_graded:
                bar.advance(task)
            else:
                left_out += 1
                bar.update(task, total=total - left_out)

        yield note_graded


def rate_in_words(speed: float | None) -> str:
    """Submissions per second, in words; empty while unknown."""
    if not speed:
        return ""
    return f"{speed:.1f} a second" if speed >= 1 else f"{speed * MINUTE:.1f} a minute"


MOST_MOVES = 20
"""The most changed points that are printed; the file has all."""


@app.command("grade-class", rich_help_panel=TEACH)
def grade_class(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A folder with one folder, zip, notebook or file a learner, or a zip of such a folder.",
            metavar="DIR|ZIP",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for results.jsonl.")],
    jobs: Annotated[int, typer.Option("--jobs", help="How many judges run in parallel.", min=1)] = os.cpu_count() or 1,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            help="Grade on the workers of this scheduler of dask.distributed instead, one judge a thread.",
            metavar="ADDRESS",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a stopped run into OUT; only new and changed work is graded.")
    ] = False,
    roster: Annotated[
        Path | None,
        typer.Option("--roster", help="A CSV of the class with columns like id, name and email.", metavar="FILE"),
    ] = None,
    groups: Annotated[
        Path | None,
        typer.Option(
            "--groups", help="A CSV with columns learner and group: one member hands in for all.", metavar="FILE"
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            "--names",
            help="The platform that made the file names: canvas, moodle, blackboard, brightspace or plain. Detected by "
            "default.",
            metavar="PLATFORM",
        ),
    ] = None,
    only: Only = None,
    unit: Units = None,
    html: Annotated[bool, typer.Option("--html", help="Write a class page and a page for each learner too.")] = False,
    isolation: Isolation = "full",
    seed: Seed = None,
    attempts: Annotated[
        bool,
        typer.Option(
            "--attempts",
            help="Each learner's folder holds several attempts (a folder, zip, notebook or file each); one counts.",
        ),
    ] = False,
    handed_in: HandedIn = None,
    extensions: Extensions = None,
    hints: Hints = None,
    exempt: Exempt = None,
    raw: Raw = False,
    pseudonyms: PseudonymsToo = False,
    course: CourseFile = None,
) -> None:
    """Grade a class: one record a line in OUT/results.jsonl."""
    level = level_called(isolation, chosen_aloud=True)
    demand_class(folder)
    if scheduler is None:
        from grader.classroom.judging import start_ahead

        start_ahead(level)  # torch loads while course and class are read
    from grader.classroom.attempts import attempts_of, folder_for_run, keep_class_list
    from grader.classroom.class_folder import class_in
    from grader.classroom.kept_times import read_kept_times
    from grader.classroom.members import last_attempts
    from grader.classroom.played import keep_played
    from grader.classroom.results_file import NOT_GRADED, RESULTS, read_results
    from grader.classroom.run import ClassRun
    from grader.classroom.run_header import Terms, header_of, read_run
    from grader.classroom.same_class import as_before, refuse_another_roster, rows_before, source_of

    chosen = course_at(course)
    refuse_exposed(level, chosen.root, folder, out)
    asked = chosen_exercises(chosen, only, unit)
    platform = _platform_called(names)
    given = times_given(handed_in, extensions, hints, exempt, raw, chosen, attempts=attempts)
    with folder_for_run(out, attempts=attempts) as records, _early_end_told(records) as stage:
        earlier = read_run(records) if resume else None
        same = as_before(earlier, roster, platform, groups, out)
        there = {each.id for each in chosen.exercises}
        exercises = asked or [id for id in (earlier.only if earlier else []) if id in there]
        terms = Terms(
            (chosen.root / "course.yml").absolute(),
            level,
            earlier.seed if earlier and seed is None else seed_or_fresh(seed, chosen),
            tuple(exercises),
        )
        arguments = {"submissions": str(folder), "roster": str(roster or ""), "jobs": str(jobs)}
        arguments |= {"scheduler": scheduler} if scheduler else {}
        arguments |= {"attempts": "yes"} if attempts else {}
        arguments |= {"names": platform} if platform else {}
        # a cluster's worker has another working folder
        folder, unpacked = (folder.absolute(), out.absolute()) if scheduler else (folder, out)
        rows = rows_before(out, earlier, same.roster)
        with class_in(folder, unpacked, chosen, same.reading_options(rows)) as members:
            source = source_of(folder, same, members)
            refuse_another_roster(out, earlier, source, members, rows)
            times = given.over(read_kept_times(records)) if resume else given
            submissions = attempts_of(members, chosen, times) if attempts else last_attempts(members)
            if not submissions.entries and not (resume and (records / RESULTS).exists()):
                _tell([*submissions.remarks, *submissions.disputes])
                stop("Nothing was graded, since nobody knows whose any submission is.", EXIT_BAD_INPUT)
            header = header_of(chosen, terms, arguments, source)
            run = stage.run = ClassRun(records, submissions, chosen, terms, header, given, corrected_in=out)
            if resume:
                run.go_on(again=bool(asked) and earlier is not None and bool(earlier.differences(header)))
            if scheduler is None:
                _grade_here(run, terms, jobs)
            else:
                _grade_there(run, scheduler, terms, header, submissions.entries)
            keep_played(out, submissions.entries, of_attempts=attempts)
        if attempts:
            keep_class_list(out, replace(members, left_out=submissions.left_out))
        remarks = final_records(out, chosen, run.times, raw=raw)
        run.settle_moves()
        _tell([*same.remarks, *_chosen_before(asked, earlier), *run.tally.remarks, *remarks, *submissions.disputes])
        show_class(read_results(out), chosen, out, html, by_pseudonyms=pseudonyms)
        _show_moves(run, records)
    if run.tally.faults:
        failed = ", ".join(run.tally.faults)
        stop(f"Not graded in full, by the grader's own fault: {failed}.", EXIT_CANNOT_ISOLATE)
    if submissions.disputes:
        stop(f"Whose some submissions are is not clear; {out / NOT_GRADED} lists what does not count.", EXIT_BAD_INPUT)


def _chosen_before(asked: Sequence[str], earlier: RunHeader | None) -> list[str]:
    """A sentence about exercises of the earlier run that were not named this time."""
    if asked or earlier is None or not earlier.only:
        return []
    return [f"The exercises are those of the run before: {', '.join(earlier.only)}."]


def _tell(sentences: Sequence[str]) -> None:
    from grader.render.safe_text import visible

    for sentence in sentences:
        print(visible(sentence), file=sys.stderr)


def _platform_called(name: str | None) -> Platform | None:
    from grader.classroom.lms_names import PLATFORMS

    if name is None or name in PLATFORMS:
        return PLATFORMS[name] if name else None
    raise UsageError(f"There are no names called {name!r}: take {', '.join(PLATFORMS)}.")


def _grade_here(run: ClassRun, terms: Terms, jobs: int) -> None:
    from grader.classroom.pool import Judges

    _grade(run, Judges(min(jobs, run.tally.total), terms), jobs)


def _grade_there(run: ClassRun, scheduler: str, terms: Terms, header: RunHeader, entries: Sequence[Entry]) -> None:
    from grader.classroom.cluster import ClusterJudges
    from grader.classroom.dispatch import CHUNK

    judges = ClusterJudges(scheduler, terms, header, entries)
    at_first = len(judges.remarks)
    for remark in judges.remarks[:at_first]:
        print(remark, file=sys.stderr)
    try:
        _grade(run, judges, judges.width(len(entries), CHUNK))
    finally:
        for remark in judges.remarks[at_first:]:
            print(remark, file=sys.stderr)


def _grade(run: ClassRun, judges: Executor, width: int) -> None:
    try:
        with class_progress(run.tally.total) as note_graded:
            run.grade(judges, width, note_graded)
    finally:
        judges.shutdown(wait=False, cancel_futures=True)


@dataclass
class _Stage:
    """The stage that the command has reached."""

    run: ClassRun | None = None


@contextmanager
def _early_end_told(out: Path) -> Iterator[_Stage]:
    """If an error ends the run early, print how many records are kept and how to resume."""
    from grader.classroom.cluster import NoWorkerLeft
    from grader.classroom.ledger import LedgerError

    stage = _Stage()
    try:
        yield stage
    except KeyboardInterrupt:
        stop(f"Stopped. {_kept(stage, out)}", EXIT_INTERRUPTED)
    except LedgerError as error:
        stop(f"{error} {_kept(stage, out)}", EXIT_BAD_INPUT)
    except NoWorkerLeft as error:
        stop(f"{error} {_kept(stage, out)}", EXIT_CANNOT_ISOLATE)
    except MachineError as error:
        if stage.run is None or not stage.run.has_results:
            raise
        stop(f"Grading cannot go on ({error}). {_kept(stage, out)}", EXIT_CANNOT_ISOLATE)


def _kept(stage: _Stage, out: Path) -> str:
    from grader.classroom.results_file import ResultsError, read_results, ungraded

    if stage.run is None or not stage.run.has_results:
        return "Nothing was graded."
    try:
        done, left = len(read_results(out)), len(ungraded(out))
    except ResultsError as error:
        return str(error)
    return f"{done} of {done + left} are graded and kept in {out}; go on with --resume."


def _show_moves(run: ClassRun, out: Path) -> None:
    """Print the points that a resumed run has changed, with the causes."""
    from grader.classroom.regrading import MOVED, told_moves

    if not run.moves:
        return
    print(f"Points that moved: {len(run.moves)}, listed in {out / MOVED}.")
    for line in islice(told_moves(run.moves), MOST_MOVES):
        print(line)
    if (more := len(run.moves) - MOST_MOVES) > 0:
        print(f"  and {more} more")


def show_class(results: Results, course: Course, out: Path, html: bool, *, by_pseudonyms: bool = False) -> None:
    """Print the class, and write its pages; one record in memory at a time."""
    from grader.classroom.page_names import page_name
    from grader.classroom.played import PlayedOf
    from grader.classroom.pseudonyms import PSEUDONYMOUS, Pseudonyms
    from grader.classroom.results_file import RESULTS, disputed, handed_in_nothing
    from grader.render.class_summary import ClassSummary
    from grader.render.class_table import print_class
    from grader.render.played import Gallery
    from grader.writing import make_folder, write_file

    known = Pseudonyms(out) if by_pseudonyms else None
    pages = out / PSEUDONYMOUS if known else out
    if html:
        make_folder(pages, below=out)
    # not with pseudonyms: typed texts may contain the learner's name
    played = None if known else PlayedOf(out)
    shown = Gallery(titles_of(course))
    summary = ClassSummary(titles_of(course), units_of(course))
    for result in known.results(results) if known else results:
        link = page_name(result.learner.name) if html else None
        if link is not None:
            theirs = played(result.learner.name) if played else {}
            write_file(pages / link, page_of(result.titled, course, theirs))
            shown.add(result.learner.shown, link, theirs)
        summary.add(result.record, shown=result.learner.shown, link=link, group=result.learner.group)
    absent = handed_in_nothing(out)
    for learner in known.of_all(absent) if known else absent:
        summary.add_absent(learner.shown)
    torn = disputed(out)
    for learner in known.of_all(torn) if known else torn:
        summary.add_disputed(learner.shown)
    page = pages / "class.html"
    print_class(summary, console(), rest=str(page if html else out / RESULTS))
    print(f"Records: {out / RESULTS}")
    if html:
        from grader.render.class_page import render_class

        write_file(page, render_class(summary, shown).encode("utf-8"))
        for stale in set(pages.glob("learner-*.html")) - {pages / (row.link or "") for row in summary.rows}:
            stale.unlink()  # a page of an earlier, larger class
        print(f"Page: {page}")
    if known:
        tell_who_is_who(out)
