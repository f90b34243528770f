"""The command line, `kata`. A command starts the zygote first and imports what it needs itself after that."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from grader import __version__
from grader.judge.errors import GraderBroken
from grader.sandbox.doctor import examine, strongest_level
from grader.sandbox.launch import Launched, MachineError, launch
from grader.sandbox.levels import GRADING_LEVELS, LEVELS, Level

if TYPE_CHECKING:
    from rich.console import Console

    from grader.course import Course
    from grader.results import Record

EXIT_NOT_RIGHT = 1
EXIT_BAD_INPUT = 2
EXIT_CANNOT_ISOLATE = 3

app = typer.Typer(
    name="kata",
    help="A course on attention in PyTorch, and its grader.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Isolation = Annotated[
    str,
    typer.Option(
        "--isolation",
        help=f"How learners' code is walled off: {', '.join(LEVELS)}, or best.",
        metavar="LEVEL",
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of the hidden inputs; a fresh one by default.", min=0)]
CourseFile = Annotated[
    Path | None, typer.Option("--course", help="The course.yml; found from here upwards by default.")
]
Only = Annotated[list[str] | None, typer.Option("--only", help="Only this exercise; may be given again.", metavar="ID")]


def main() -> None:
    """Run the command line."""
    try:
        with _sentences():
            app()
    except SystemExit as end:
        _leave(end.code)
    _leave(0)


def _leave(status: str | int | None) -> NoReturn:
    """End at once when torch is loaded: taking it down in order takes a third of a second and serves nobody."""
    if "torch" not in sys.modules or isinstance(status, str):
        sys.exit(status)
    with suppress(OSError):  # nobody reads any more
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status or 0)


class UsageError(Exception):
    """What was asked for cannot be done as it was asked; the text is one sentence."""


@contextmanager
def _sentences() -> Iterator[None]:
    """Tell every error that people can make or meet in one sentence, with the exit status of the contract."""
    try:
        yield
    except MachineError as error:
        _stop(
            f"This machine cannot isolate submissions (missing: {error}). No grade was recorded. See `kata doctor`.",
            EXIT_CANNOT_ISOLATE,
        )
    except KeyboardInterrupt:
        _stop("Stopped.", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (GraderBroken, UsageError) as error:
        _stop(str(error), EXIT_BAD_INPUT)
    except OSError as error:
        _stop(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), EXIT_BAD_INPUT)
    except Exception as error:
        from grader.course import CourseError
        from grader.submission import SubmissionError

        if not isinstance(error, (CourseError, SubmissionError)):
            raise
        _stop(str(error), EXIT_BAD_INPUT)


def _stop(sentence: str, status: int) -> NoReturn:
    print(sentence, file=sys.stderr)
    sys.exit(status)


@app.callback(invoke_without_command=True)
def version(
    show: Annotated[bool, typer.Option("--version", help="Show the version and stop.")] = False,
) -> None:
    """A course on attention in PyTorch, and its grader."""
    if show:
        print(f"attention-kata {__version__}")
        raise typer.Exit


@app.command()
def grade(
    path: Annotated[Path, typer.Argument(help="A folder, zip, notebook or file.", metavar="PATH")],
    only: Only = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the record here; - for standard output.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the report here as a page.")] = None,
    isolation: Isolation = "full",
    seed: Seed = None,
    course: CourseFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show passed checks too.")] = False,
) -> None:
    """Grade one submission."""
    level = _level(isolation, chosen_aloud=True)
    launched = _launch(level)
    chosen = _course(course, path)
    _known(chosen, only)
    from grader.submission import read_submission

    submission = read_submission(path, chosen)
    from grader.judge.grading import Judge

    judge = Judge(chosen, level, _seed(seed), only or (), launched)
    records: list[Record] = []
    with _ending(judge.close), _progress("Grading", len(judge.kits)) as advance:
        judge.grade([submission], records.append, advance)
    record = records[0]
    _write_outputs(record, chosen, json, html)
    if json != Path("-"):
        from grader.reports.terminal import print_record

        print_record(record, _console(), titles=_titles(chosen), units=_units(chosen), verbose=verbose)
    if not record.complete:
        _stop(
            "Some exercises could not be graded: that is the grader's fault, not the learner's.",
            EXIT_CANNOT_ISOLATE,
        )


@app.command("grade-class")
def grade_class(
    folder: Annotated[
        Path, typer.Argument(help="A folder with one folder, zip, notebook or file a learner.", metavar="DIR")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for results.jsonl.")],
    jobs: Annotated[int, typer.Option("--jobs", help="How many judges work side by side.", min=1)] = os.cpu_count()
    or 1,
    only: Only = None,
    html: Annotated[bool, typer.Option("--html", help="Write a class page and a page for each learner too.")] = False,
    isolation: Isolation = "full",
    seed: Seed = None,
    course: CourseFile = None,
) -> None:
    """Grade a class: one record a line in OUT/results.jsonl."""
    from grader.classroom import Terms, entries
    from grader.classroom import grade_class as grade_all
    from grader.submission import find_submissions

    chosen = _course(course, folder)
    level = _level(isolation, chosen_aloud=True)
    _known(chosen, only)
    found = entries(find_submissions(folder))
    terms = Terms(chosen.root / "course.yml", level, _seed(seed), tuple(only or ()))
    records: list[Record] = []
    results = out / "results.jsonl"
    with _progress("Grading", len(found)) as advance:
        for record in grade_all(found, terms, jobs):
            if not records:  # not before: when nothing can be graded, older results stay as they are
                _make_room(results)
            with results.open("a", encoding="utf-8") as lines:
                lines.write(record.to_json() + "\n")
            records.append(record)
            advance(record.submission)
    _show_class(records, chosen, out, results, html)
    if not all(record.complete for record in records):
        names = ", ".join(record.submission for record in records if not record.complete)
        _stop(f"Not graded in full, by the grader's own fault: {names}.", EXIT_CANNOT_ISOLATE)


@app.command()
def check(
    what: Annotated[
        list[str] | None, typer.Argument(help="Exercises by id or file; all that are started by default.")
    ] = None,
    isolation: Isolation = "best",
    seed: Seed = None,
    course: CourseFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show passed checks too.")] = False,
) -> None:
    """Check your own work."""
    level = _level(isolation, chosen_aloud=False)
    launched = _launch(level)
    chosen = _course(course, Path.cwd())
    files = _files_to_check(chosen, what or [])
    from grader.judge.grading import Judge
    from grader.reports.terminal import print_record
    from grader.submission import Submission, read_submission

    read = [read_submission(path, chosen) for path in files.values()]
    sources = {id: source for each in read for id, source in each.sources.items() if id in files}
    mine = Submission("your work", sources, tuple(problem for each in read for problem in each.problems))
    judge = Judge(chosen, level, _seed(seed), list(files), launched)
    records: list[Record] = []
    with _ending(judge.close):
        judge.grade([mine], records.append)
    print_record(records[0], _console(), titles=_titles(chosen), units=_units(chosen), verbose=verbose)
    if not records[0].complete:
        sys.exit(EXIT_CANNOT_ISOLATE)
    if any(result.status not in ("passed", "not_started") for result in records[0].exercises):
        sys.exit(EXIT_NOT_RIGHT)


@app.command()
def doctor() -> None:
    """Say what this machine can isolate, and what to install."""
    findings = examine()
    for finding in findings:
        print(
            f"  {'yes' if finding.works else 'no ':3}  {finding.part}{': ' + finding.remedy if finding.remedy else ''}"
        )
    level = strongest_level(findings)
    if level != "none":
        from grader.sandbox.trial import try_level

        refused = try_level(level)
        while refused and level != "process":
            print(f"  no   a worker at level {level}: {refused}")
            level = LEVELS[LEVELS.index(level) + 1]
            refused = try_level(level)
    print(f"Isolation: {level}")
    if level not in GRADING_LEVELS:
        print("You can practise here, but other people's work can't be graded on this machine.")
        sys.exit(EXIT_CANNOT_ISOLATE)


@app.command()
def verify(
    ids: Annotated[list[str] | None, typer.Argument(help="Exercises; all by default.", metavar="[ID ...]")] = None,
    isolation: Isolation = "best",
    seed: Seed = None,
    course: CourseFile = None,
    jobs: Annotated[int, typer.Option("--jobs", help="How many judges work side by side.", min=1)] = os.cpu_count()
    or 1,
    stubs: Annotated[bool, typer.Option("--write-stubs", help="Make the stubs from the solutions first.")] = False,
) -> None:
    """The author's gate: is each exercise's kit complete, and does it hold?"""
    chosen = _course(course, Path.cwd())
    level = _level(isolation, chosen_aloud=False)
    _known(chosen, ids)
    exercises = [chosen.exercise(id) for id in ids or []] or list(chosen.exercises)
    from grader.stubs import StubError
    from grader.verify import incomplete, prove_in_parallel, stale_stub, write_stubs

    number, graded = _seed(seed), 0
    try:
        if stubs:
            for written in write_stubs(chosen, exercises):
                print(f"wrote {written}")
        problems = [problem for each in exercises for problem in incomplete(chosen, each)]
        if not problems:
            problems = [problem for each in exercises for problem in stale_stub(chosen, each)]
            course_file, chosen_ids = chosen.root / "course.yml", [each.id for each in exercises]
            with _progress("Proving", len(exercises)) as advance:
                graded, found = prove_in_parallel(course_file, level, number, chosen_ids, jobs, advance)
            problems += found
    except StubError as error:
        raise UsageError(str(error)) from None
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} to mend (seed {number}, isolation {level}).")
        sys.exit(EXIT_NOT_RIGHT)
    noun = "exercise" if len(exercises) == 1 else "exercises"
    print(f"All hold: {len(exercises)} {noun}, {graded} files graded (seed {number}, isolation {level}).")


# --- what the commands share --------------------------------------------------------------------------------------


def _course(given: Path | None, near: Path) -> Course:
    """The course that was named, or the nearest from here, from the given path, or the one this program came with."""
    from grader.course import CourseError, find_course, load_course

    if given is not None:
        return load_course(given / "course.yml" if given.is_dir() else given)
    own = Path(__file__).resolve().parent.parent
    for start in (Path.cwd(), near.absolute(), own):
        try:
            return load_course(find_course(start))
        except CourseError as error:
            if start == own or "course.yml:" in str(error):
                raise
    raise AssertionError("the loop ends with a return or an error")


def _level(name: str, *, chosen_aloud: bool) -> Level:
    if name == "best":
        level = strongest_level()
        if level != "full":
            print(f"Isolation here is {level}, not full: see `kata doctor`.", file=sys.stderr)
        return level
    for level in LEVELS:
        if level == name:
            if chosen_aloud and level not in GRADING_LEVELS:
                print(f"Isolation {level} is no wall: only for your own work.", file=sys.stderr)
            return level
    raise UsageError(f"There is no isolation level {name!r}: take {', '.join(LEVELS)} or best.")


def _launch(level: Level) -> Launched | None:
    return None if level == "none" else launch(level)


def _seed(given: int | None) -> int:
    from grader.results import MAX_SEED

    if given is not None and given > MAX_SEED:
        raise UsageError(f"The seed must be at most {MAX_SEED}.")
    return secrets.randbelow(MAX_SEED + 1) if given is None else given


def _known(course: Course, ids: Sequence[str] | None) -> None:
    for id in ids or ():
        course.exercise(id)


def _files_to_check(course: Course, wanted: Sequence[str]) -> dict[str, Path]:
    """The files to check by exercise: what was named, or every exercise file that is there."""
    if not wanted:
        return {e.id: course.stub_path(e) for e in course.exercises if course.stub_path(e).is_file()}
    by_file = {exercise.file_name: exercise for exercise in course.exercises}
    files = {}
    for name in wanted:
        path = Path(name)
        if path.suffix == ".py":
            exercise = by_file.get(path.name) or course.exercise(path.stem)
            files[exercise.id] = path
        else:
            exercise = course.exercise(name)
            files[exercise.id] = course.stub_path(exercise)
    return files


def _make_room(results: Path) -> None:
    """Make the folder for the results; older ones are kept beside the new."""
    results.parent.mkdir(parents=True, exist_ok=True)
    if results.exists():
        results.replace(results.with_name("results.previous.jsonl"))


def _write_outputs(record: Record, course: Course, json: Path | None, html: Path | None) -> None:
    if json == Path("-"):
        print(record.to_json())
    elif json is not None:
        json.write_text(record.to_json() + "\n", encoding="utf-8")
    if html is not None:
        from grader.reports.html import render_record

        html.write_text(render_record(record, titles=_titles(course), units=_units(course)), encoding="utf-8")


def _show_class(records: Sequence[Record], course: Course, out: Path, results: Path, html: bool) -> None:
    from grader.reports.class_table import print_class, render_class
    from grader.reports.html import render_record

    print_class(records, _console(), titles=_titles(course))
    print(f"Records: {results}")
    if not html:
        return
    links = {}
    for number, record in enumerate(records, start=1):
        # not the learner's own name: what is legal in a name is not in every file system
        links[record.submission] = f"learner-{number:04d}.html"
        page = render_record(record, titles=_titles(course), units=_units(course))
        (out / links[record.submission]).write_text(page, encoding="utf-8")
    class_page = out / "class.html"
    class_page.write_text(
        render_class(records, titles=_titles(course), units=_units(course), links=links), encoding="utf-8"
    )
    print(f"Page: {class_page}")


def _titles(course: Course) -> dict[str, str]:
    return {exercise.id: exercise.title for exercise in course.exercises}


def _units(course: Course) -> list[tuple[str, list[str]]]:
    return [(unit.title, [exercise.id for exercise in unit.exercises]) for unit in course.units]


def _console() -> Console:
    from rich.console import Console

    return Console()


@contextmanager
def _ending(close: Callable[[], None]) -> Iterator[None]:
    try:
        yield
    finally:
        close()


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error when that is a terminal; `advance(name)` says what has just been done."""
    if not sys.stderr.isatty():
        yield lambda name: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda name: progress.advance(task)
