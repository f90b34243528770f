"""Checks a learner's own work: files become a submission, are judged, and the results stand in the progress file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from grader.course.stubs import same_as_stub, stub_of
from grader.errors import KataError
from grader.intake import Submission, read_submission
from grader.intake.names import ExerciseNames
from grader.mismatch import Mismatch, Mismatches
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import Level
from grader.service.client import judge_for

from .progress import AttemptEntry, DamagedProgress, Progress, ProgressFile, damage_of, digest_of, now
from .workspace import Workspace, content_of

if TYPE_CHECKING:
    from grader.record import ExerciseResult, Record, Status
    from grader.service.client import AnyJudge

SUBMITTER = "your work"
GRADED: tuple[Status, ...] = ("passed", "failed", "partly")
PLACEHOLDER = "raise NotImplementedError("


def files_of(workspace: Workspace, wanted: Sequence[str]) -> dict[str, Path]:
    """The files to check, by exercise id. `wanted` names ids, files or units; by default all started exercises.

    Raises CourseError for an unknown name, KataError for an exercise whose file is missing.
    """
    course, names = workspace.course, ExerciseNames(workspace.course)
    units = {unit.folder: unit for unit in course.units}
    files: dict[str, Path] = {}
    for name in wanted:
        path = Path(name)
        if path.suffix == ".py":
            files[(names.by_file(path.name) or course.exercise(path.stem)).id] = path
        elif path.name in units:
            there = {each.id: workspace.file_of(each) for each in units[path.name].exercises}
            files.update({id: file for id, file in there.items() if file.is_file()})
        else:
            exercise = course.exercise(name)
            files[exercise.id] = workspace.file_of(exercise)
    for id, path in files.items():
        if not path.exists():
            raise KataError(
                f"{workspace.shown(path)} is not there: `kata reset {id}` puts the given file in its place."
            )
    return files if wanted else files_started(workspace)


def submission_of(workspace: Workspace, files: Mapping[str, Path]) -> Submission:
    """The files as one submission. Raises SubmissionError for a file that is missing or cannot be read."""
    read = [read_submission(path, workspace.course) for path in files.values()]
    sources = {id: source for each in read for id, source in each.sources.items() if id in files}
    return Submission(SUBMITTER, sources, tuple(problem for each in read for problem in each.problems))


def reviews_among(workspace: Workspace, files: Mapping[str, Path]) -> set[str]:
    """The ids whose file is one handed out for a review."""
    return {id for id, path in files.items() if workspace.is_review(path)}


def files_started(workspace: Workspace) -> dict[str, Path]:
    """The files that exist and differ from the stub, by exercise id."""
    files = {each.id: workspace.file_of(each) for each in workspace.course.exercises}
    return {id: file for id, file in files.items() if file.is_file() and is_started(workspace, id, file)}


def is_started(workspace: Workspace, id: str, file: Path) -> bool:
    """Whether a file differs from its exercise's stub. Raises OSError."""
    return not same_as_stub(file.read_bytes(), stub_of(workspace.course, workspace.course.exercise(id)))


def untouched_record(workspace: Workspace, submission: Submission, level: Level, seed: int) -> Record | None:
    """The record if all files are untouched stubs: then no judge is needed. Else None."""
    from grader.record import CourseStamp, ExerciseResult, Record

    course = workspace.course
    chosen = [course.exercise(id) for id in submission.sources]
    if submission.problems or not chosen:
        return None
    if not all(same_as_stub(submission.sources[each.id].content, stub_of(course, each)) for each in chosen):
        return None
    return Record.of(
        submission=submission.name,
        isolation=level,
        seed=seed,
        course=CourseStamp(title=course.title, version=course.version),
        exercises=[
            ExerciseResult(
                id=each.id,
                status="not_started",
                points=0.0,
                max_points=each.points,
                checks=(),
                diagnosis=(),
                seconds=0.0,
            )
            for each in course.exercises
            if each.id in submission.sources
        ],
        problems=[],
    )


@dataclass(frozen=True)
class Noted:
    """What became of a record in the progress file: what comes back for review when, or why it is not noted."""

    coming: tuple[str, ...] = ()
    damage: str = ""


@dataclass(frozen=True)
class Checked:
    """A learner's own work, judged and noted."""

    record: Record
    mismatches: Mismatches
    noted: Noted


def check_files(
    workspace: Workspace,
    files: Mapping[str, Path],
    level: Level,
    seed: int | None = None,
    advance: Callable[[str], None] = lambda exercise: None,
) -> Checked:
    """Judge files by exercise id and note the results; untouched stubs need no judge.

    Raises SubmissionError for a file that cannot be read, and what Judge.grade raises.
    """
    from grader.judge.seeds import seed_for

    chosen = seed_for(workspace.course, seed)
    submission = submission_of(workspace, files)
    if record := untouched_record(workspace, submission, level, chosen):
        return Checked(record, {}, Noted())
    with closing(judge_for(workspace.course, level, chosen, list(files))) as judge:
        record, mismatches = graded(judge, submission, advance)
    return Checked(record, mismatches, note_record(workspace, submission, record, reviews_among(workspace, files)))


def progress_of(workspace: Workspace, say: Callable[[str], None]) -> Progress:
    """The learner's progress; a damaged file is set aside, and what is started is judged again. `say` is told so."""
    try:
        return ProgressFile(workspace.state).read()
    except DamagedProgress as damage:
        say(str(damage))
    if begun := files_started(workspace):
        say(f"Grading the {len(begun)} exercises that you have started, to fill it again.")
        check_files(workspace, begun, strongest_level())
    return ProgressFile(workspace.state).read()


def graded(
    judge: AnyJudge, submission: Submission, advance: Callable[[str], None] = lambda exercise: None
) -> tuple[Record, Mismatches]:
    """The record of a submission, and the mismatches of its visible checks. Raises what Judge.grade does."""
    records: list[Record] = []
    mismatches: dict[tuple[str, str], Mismatch] = {}

    def show(_: str, exercise: str, check: str, mismatch: Mismatch) -> None:
        mismatches[exercise, check] = mismatch

    judge.grade([submission], records.append, advance, show)
    return records[0], mismatches


def handed_in(record: Record) -> Record:
    """The record without the exercises that were not handed in."""
    from grader.record import Record

    return Record.of(
        submission=record.submission,
        isolation=record.isolation,
        seed=record.seed,
        course=record.course,
        exercises=[result for result in record.exercises if result.status != "missing"],
        problems=record.problems,
    )


def note_record(workspace: Workspace, submission: Submission, record: Record, reviews: Collection[str] = ()) -> Noted:
    """Write the results into the progress file. reviews: the ids whose file is a review's."""
    from .review import when

    try:
        coming = _note(workspace, submission, record, reviews)
    except (DamagedProgress, OSError) as error:
        return Noted(damage=damage_of(error))
    return Noted(tuple(f"{id} comes back {when(due, now())}." for id, due in coming.items()))


def _note(
    workspace: Workspace, submission: Submission, record: Record, reviews: Collection[str]
) -> dict[str, datetime]:
    """Write the results; return when the exercises whose review was passed are due again."""
    from .review import settle

    graded = [result for result in record.exercises if result.status in GRADED and result.id in submission.sources]
    coming: dict[str, datetime] = {}
    if not graded:
        return coming
    with ProgressFile(workspace.state).change() as progress:
        for result in graded:
            source, is_review = submission.sources[result.id].content, result.id in reviews
            if is_review and result.status == "failed" and _is_half_written(workspace, result.id, source):
                continue
            done = progress.of(result.id)
            attempt = attempt_of(result, source, "review" if is_review else "practice")
            attempt.elsewhere = not is_review and not _is_in_place(workspace, result.id, source)
            if done.note(attempt) and (due := settle(done, attempt, progress.exercises.values())):
                coming[result.id] = due
    return coming


def _is_in_place(workspace: Workspace, id: str, source: bytes) -> bool:
    """Whether the exercise's own file has this content."""
    return content_of(workspace.file_of(workspace.course.exercise(id))) == source


def _is_half_written(workspace: Workspace, id: str, source: bytes) -> bool:
    """Whether a part is not written yet: then a save must not count as a failed review."""
    stub = stub_of(workspace.course, workspace.course.exercise(id))
    to_write = {line.strip() for line in stub.splitlines() if line.strip().startswith(PLACEHOLDER)}
    return any(line.strip() in to_write for line in source.decode("utf-8", "replace").splitlines())


def attempt_of(result: ExerciseResult, source: bytes, kind: Literal["practice", "review"] = "practice") -> AttemptEntry:
    """The progress entry for one graded attempt."""
    return AttemptEntry(
        at=now(),
        status=result.status if result.status in ("passed", "partly") else "failed",
        points=result.points,
        max_points=result.max_points,
        digest=digest_of(source),
        kind=kind,
        failed=[check.name for check in result.checks if check.outcome == "failed"],
        mistakes={diagnosis.mistake: diagnosis.message for diagnosis in result.diagnosis},
        left=sum(check.outcome == "skipped" for check in result.checks),
    )
