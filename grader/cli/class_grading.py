"""`kata grade-class`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.sandbox.launch import MachineError

from .app import TEACH, app
from .class_progress import class_progress
from .endings import EXIT_BAD_INPUT, EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, UsageError, stop
from .expected import demand_class
from .grading import page_of
from .policy_options import Extensions, HandedIn, Hints, PseudonymsToo, Raw, final_records, tell_who_is_who, times_given
from .terms import (
    CourseFile,
    Isolation,
    Only,
    Seed,
    console,
    course_at,
    level_called,
    refuse_exposed,
    refuse_unknown,
    seed_or_fresh,
    titles_of,
    units_of,
)

if TYPE_CHECKING:
    from grader.classroom.entries import Entry
    from grader.classroom.lms_names import Platform
    from grader.classroom.members import Members
    from grader.classroom.results_file import Results
    from grader.classroom.roster import Enrolled
    from grader.classroom.run import ClassRun
    from grader.classroom.run_header import RunHeader
    from grader.classroom.terms import Terms
    from grader.course import Course
    from grader.submission import Listing

UNPACKED = ".unpacked"
"""In OUT, a class zip's contents while the class is graded."""


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
    jobs: Annotated[int, typer.Option("--jobs", help="How many judges work side by side.", min=1)] = os.cpu_count()
    or 1,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            help="Grade on the workers of this scheduler of dask.distributed instead, one judge a thread.",
            metavar="ADDRESS",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a run into OUT was stopped; only what changed is graded.")
    ] = False,
    roster: Annotated[
        Path | None,
        typer.Option("--roster", help="A CSV of the class with columns like id, name and email.", metavar="FILE"),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            "--names",
            help="Whose download it is, by which names tell learners: canvas, moodle, blackboard, brightspace or "
            "plain. Found out when it is not given.",
            metavar="PLATFORM",
        ),
    ] = None,
    only: Only = None,
    html: Annotated[bool, typer.Option("--html", help="Write a class page and a page for each learner too.")] = False,
    isolation: Isolation = "full",
    seed: Seed = None,
    attempts: Annotated[
        bool,
        typer.Option(
            "--attempts",
            help="Each learner's folder holds one folder, zip, notebook or file an attempt; one of them counts.",
        ),
    ] = False,
    handed_in: HandedIn = None,
    extensions: Extensions = None,
    hints: Hints = None,
    raw: Raw = False,
    pseudonyms: PseudonymsToo = False,
    course: CourseFile = None,
) -> None:
    """Grade a class: one record a line in OUT/results.jsonl."""
    level = level_called(isolation, chosen_aloud=True)
    demand_class(folder)
    if scheduler is None:
        from grader.classroom.forking import start_ahead

        start_ahead(level)  # torch loads while the course and the class are read
    from grader.classroom.attempts import attempts_of, folder_for_run
    from grader.classroom.chosen_attempts import keep_class_list
    from grader.classroom.kept_times import read_kept_times
    from grader.classroom.members import last_attempts
    from grader.classroom.not_graded import NOT_GRADED
    from grader.classroom.results_file import RESULTS, read_results
    from grader.classroom.run import ClassRun
    from grader.classroom.run_header import header_of, read_run
    from grader.classroom.terms import Terms

    chosen = course_at(course)
    refuse_exposed(level, chosen.root, folder, out)
    refuse_unknown(chosen, only)
    platform = _platform_called(names)
    given = times_given(handed_in, extensions, hints, raw, chosen, attempts=attempts)
    with folder_for_run(out, attempts=attempts) as records, _early_end_told(records) as stage:
        earlier = read_run(records) if resume and seed is None else None
        terms = Terms(
            (chosen.root / "course.yml").absolute(),
            level,
            earlier.seed if earlier else seed_or_fresh(seed, chosen),
            tuple(only or ()),
        )
        arguments = {"submissions": str(folder), "roster": str(roster or ""), "jobs": str(jobs)}
        arguments |= {"scheduler": scheduler} if scheduler else {}
        arguments |= {"attempts": "yes"} if attempts else {}
        arguments |= {"names": platform} if platform else {}
        # a worker of a cluster has another working folder
        folder, unpacked = (folder.absolute(), out.absolute()) if scheduler else (folder, out)
        with _class_in(folder, unpacked, roster, chosen, platform) as members:
            times = given.over(read_kept_times(records)) if resume else given
            submissions = attempts_of(members, chosen, times) if attempts else last_attempts(members)
            if not submissions.entries and not (resume and (records / RESULTS).exists()):
                _tell([*submissions.remarks, *submissions.disputes])
                stop("Nothing was graded, since nobody knows whose any submission is.", EXIT_BAD_INPUT)
            header = header_of(chosen, terms, arguments)
            run = stage.run = ClassRun(records, submissions, chosen, terms, header, given)
            if resume:
                run.go_on()
            if scheduler is None:
                _grade_here(run, terms, jobs)
            else:
                _grade_there(run, scheduler, terms, header, submissions.entries)
        if attempts:
            keep_class_list(out, replace(members, left_out=submissions.left_out))
        remarks = final_records(out, chosen, run.times, raw=raw)
        _tell([*run.tally.remarks, *remarks, *submissions.disputes])
        show_class(read_results(out), chosen, out, html, by_pseudonyms=pseudonyms)
    if run.tally.faults:
        failed = ", ".join(run.tally.faults)
        stop(f"Not graded in full, by the grader's own fault: {failed}.", EXIT_CANNOT_ISOLATE)
    if submissions.disputes:
        stop(f"Whose some submissions are is not clear; {out / NOT_GRADED} lists what does not count.", EXIT_BAD_INPUT)


def _tell(sentences: Sequence[str]) -> None:
    from grader.reports.safe_text import visible

    for sentence in sentences:
        print(visible(sentence), file=sys.stderr)


def _platform_called(name: str | None) -> Platform | None:
    from grader.classroom.lms_names import PLATFORMS

    if name is None or name in PLATFORMS:
        return PLATFORMS[name] if name else None
    raise UsageError(f"There are no names called {name!r}: take {', '.join(PLATFORMS)}.")


@contextmanager
def _class_in(
    path: Path, out: Path, roster: Path | None, course: Course, platform: Platform | None
) -> Iterator[Members]:
    """The class in a folder or a zip, for as long as it is read."""
    from grader.classroom import class_zip
    from grader.classroom.roster import read_roster
    from grader.submission import SubmissionError, look_into, nothing_in

    enrolled = read_roster(roster) if roster else None
    if path.suffix.lower() == ".zip" and path.is_file():
        with class_zip.laid_out(path, out / UNPACKED) as contents:
            listing, folder = class_zip.listing_of(contents, course)
            found = _members(listing, folder, {}, enrolled, platform)
            yield replace(found, remarks=(*contents.remarks, *found.remarks))
        return
    listing = look_into(path)
    known = {each.name: "It holds the results." for each in listing.submissions if _is_same(each, out)}
    if roster is not None:
        known |= {each.name: "It is the roster." for each in listing.others if _is_same(path / each.name, roster)}
    if not listing.submissions:
        raise SubmissionError(nothing_in(path, listing.others))
    yield _members(listing, path, known, enrolled, platform)


def _members(
    listing: Listing,
    folder: Path,
    known: Mapping[str, str],
    enrolled: Sequence[Enrolled] | None,
    platform: Platform | None,
) -> Members:
    from grader.classroom.download import read_download
    from grader.classroom.members import members
    from grader.submission import SubmissionError

    download = read_download(listing, folder, known, platform)
    if not download.entries:
        raise SubmissionError(f"{folder} holds no submission but the results.")
    found = members(download.entries, enrolled)
    remarks, left_out = (*download.remarks, *found.remarks), (*download.left_out, *found.left_out)
    return replace(found, remarks=remarks, left_out=left_out)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # a link to nothing, say; reading it will tell
        return False


def _grade_here(run: ClassRun, terms: Terms, jobs: int) -> None:
    from grader.classroom.judges import Judges

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
        with class_progress(run.tally.total) as heard:
            run.grade(judges, width, heard)
    finally:
        judges.shutdown(wait=False, cancel_futures=True)


@dataclass
class _Stage:
    """How far the command has come."""

    run: ClassRun | None = None


@contextmanager
def _early_end_told(out: Path) -> Iterator[_Stage]:
    """When something ends the run early, say how much is kept and how to go on."""
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


def show_class(results: Results, course: Course, out: Path, html: bool, *, by_pseudonyms: bool = False) -> None:
    """Print the class, and write its pages, one record in memory at a time."""
    from grader.classroom.results_file import RESULTS, handed_in_nothing
    from grader.pseudonyms import PSEUDONYMOUS, Pseudonyms
    from grader.reports.class_summary import ClassSummary
    from grader.reports.class_table import print_class
    from grader.writing import make_folder, write_file

    known = Pseudonyms(out) if by_pseudonyms else None
    pages = out / PSEUDONYMOUS if known else out
    if html:
        make_folder(pages, below=out)
    summary = ClassSummary(titles_of(course), units_of(course))
    for number, result in enumerate(known.results(results) if known else results, start=1):
        # not the learner's own name: what is legal in a name is not in every file system
        link = f"learner-{number:04d}.html" if html else None
        if link is not None:
            write_file(pages / link, page_of(result.titled, course))
        summary.add(result.record, shown=result.learner.shown, link=link)
    absent = handed_in_nothing(out)
    for learner in known.of_all(absent) if known else absent:
        summary.add_absent(learner.shown)
    page = pages / "class.html"
    print_class(summary, console(), rest=str(page if html else out / RESULTS))
    print(f"Records: {out / RESULTS}")
    if html:
        from grader.reports.class_page import render_class

        write_file(page, render_class(summary).encode("utf-8"))
        for stale in set(pages.glob("learner-*.html")) - {pages / (row.link or "") for row in summary.rows}:
            stale.unlink()  # of an earlier, larger class
        print(f"Page: {page}")
    if known:
        tell_who_is_who(out)
