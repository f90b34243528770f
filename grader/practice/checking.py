"""Makes a submission of a learner's files, and writes its record into the progress file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from grader.course import Course, Exercise, Unit
from grader.course.stubs import same_as_stub, stub_of
from grader.intake import SourceFile, Submission, read_submission
from grader.intake.names import ExerciseNames
from grader.mismatch import Mismatch
from grader.sandbox.levels import Level

from .progress import AttemptEntry, ProgressFile, digest_of, now
from .workspace import Workspace, content_of

if TYPE_CHECKING:
    from grader.record import ExerciseResult, Record, Status
    from grader.service.opening import AnyJudge

SUBMITTER = "your work"
GRADED: tuple[Status, ...] = ("passed", "failed", "partly")
PLACEHOLDER = "raise NotImplementedError("


def files_of(workspace: Workspace, wanted: Sequence[str]) -> dict[str, Path]:
    """The files to check, by exercise id. `wanted` names ids, files or units; by default all started exercises.

    Raises CourseError for an unknown name, with similar ids.
    """
    course = workspace.course
    if not wanted:
        return {each.id: workspace.file_of(each) for each in started(workspace, course.exercises)}
    names = ExerciseNames(course)
    files: dict[str, Path] = {}
    for name in wanted:
        path = Path(name)
        if path.suffix == ".py":
            exercise = names.by_file(path.name) or course.exercise(path.stem)
            files[exercise.id] = path
        elif (unit := _unit_called(course, path)) is not None:
            there = {each.id: workspace.file_of(each) for each in unit.exercises}
            files.update({id: file for id, file in there.items() if file.is_file()})
        else:
            exercise = course.exercise(name)
            files[exercise.id] = workspace.file_of(exercise)
    return files


def _unit_called(course: Course, path: Path) -> Unit | None:
    """The unit whose folder has the same name as this path."""
    return next((unit for unit in course.units if unit.folder == path.name), None)


def submission_of(workspace: Workspace, files: Mapping[str, Path]) -> Submission:
    """The files as one submission. Raises SubmissionError for a file that is missing or cannot be read."""
    read = [read_submission(path, workspace.course) for path in files.values()]
    sources = {id: source for each in read for id, source in each.sources.items() if id in files}
    for id in reviews_among(workspace, files):
        if id in sources:
            sources[id] = _as_the_judge_knows_it(workspace, sources[id])
    return Submission(SUBMITTER, sources, tuple(problem for each in read for problem in each.problems))


def reviews_among(workspace: Workspace, files: Mapping[str, Path]) -> set[str]:
    """The ids whose file is one handed out for a review."""
    return {id for id, path in files.items() if workspace.is_review(path)}


def _as_the_judge_knows_it(workspace: Workspace, source: SourceFile) -> SourceFile:
    """Give the judge the original stub for a review's stub with other names that the learner has not changed."""
    from .varied import is_as_given

    exercise = workspace.course.exercise(source.exercise)
    stub = stub_of(workspace.course, exercise)
    return replace(source, content=stub.encode()) if is_as_given(exercise, source.content, stub) else source


def started(workspace: Workspace, exercises: Sequence[Exercise]) -> list[Exercise]:
    """The exercises whose file exists and differs from the stub."""
    return [
        each
        for each in exercises
        if workspace.file_of(each).is_file()
        and not same_as_stub(workspace.file_of(each).read_bytes(), stub_of(workspace.course, each))
    ]


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


def graded(
    judge: AnyJudge, submission: Submission, advance: Callable[[str], None] = lambda exercise: None
) -> tuple[Record, dict[tuple[str, str], Mismatch]]:
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


def note_record(
    workspace: Workspace, submission: Submission, record: Record, reviews: Collection[str] = ()
) -> dict[str, datetime]:
    """Write the results into the progress file; return the next due times of exercises whose review was passed.

    reviews: the ids whose file is a review's. Raises DamagedProgress.
    """
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
