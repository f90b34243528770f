"""Checks a learner's own work: files become a submission, are judged, and the results stand in the progress file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.stubs import same_as_stub, stub_of
from grader.errors import KataError
from grader.intake import Submission, read_submission
from grader.intake.names import ExerciseNames
from grader.mismatch import Mismatch, Mismatches
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import Level
from grader.service.client import judge_for

from .progress import AttemptEntry, DamagedProgress, Progress, ProgressFile, digest_of, now
from .review import settle, when
from .workspace import Work, Workspace, content_of

if TYPE_CHECKING:
    from grader.record import ExerciseResult, Record
    from grader.service.client import AnyJudge

SUBMITTER = "your work"
PLACEHOLDER = "raise NotImplementedError("


def works_of(workspace: Workspace, wanted: Sequence[str]) -> list[Work]:
    """The files to check. `wanted` names ids, files or units; by default all started exercises.

    Raises CourseError for an unknown name, KataError for an exercise whose file is missing.
    """
    if not wanted:
        return works_started(workspace)
    course, names = workspace.course, ExerciseNames(workspace.course)
    works: dict[str, Work] = {}
    for name in wanted:
        path = Path(name)
        if path.suffix == ".py":
            exercise = names.by_file(path.name) or course.exercise(path.stem)
            works[exercise.id] = workspace.work_at(path) or Work(exercise, path)
        elif unit := next((each for each in workspace.course.units if each.is_called(path.name)), None):
            there = map(workspace.work_of, unit.exercises)
            works.update({work.exercise.id: work for work in there if work.path.is_file()})
        else:
            works[name] = workspace.work_of(course.exercise(name))
    for id, work in works.items():
        if not work.path.exists():
            raise KataError(
                f"{workspace.shown(work.path)} is not there: `kata reset {id}` puts the given file in its place."
            )
    return list(works.values())


def works_started(workspace: Workspace) -> list[Work]:
    """The exercises' files that exist and differ from the stub. Raises OSError."""
    works = map(workspace.work_of, workspace.course.exercises)
    return [work for work in works if work.path.is_file() and is_started(workspace, work, work.path.read_bytes())]


def is_started(workspace: Workspace, work: Work, content: bytes) -> bool:
    """Whether the content of a file differs from its exercise's stub."""
    return not same_as_stub(content, stub_of(workspace.course, work.exercise))


def submission_of(workspace: Workspace, works: Sequence[Work]) -> Submission:
    """The files as one submission. Raises SubmissionError for a file that is missing or cannot be read."""
    ids = {work.exercise.id for work in works}
    read = [read_submission(work.path, workspace.course) for work in works]
    sources = {id: source for each in read for id, source in each.sources.items() if id in ids}
    return Submission(SUBMITTER, sources, tuple(problem for each in read for problem in each.problems))


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

    @property
    def is_right(self) -> bool:
        """Whether nothing that is started fails, as far as it can be checked here."""
        return all(result.status in ("passed", "partly", "not_started") for result in self.record.exercises)


def check_works(
    workspace: Workspace,
    works: Sequence[Work],
    level: Level,
    seed: int | None = None,
    advance: Callable[[str], None] = lambda exercise: None,
) -> Checked:
    """Judge files and note the results; where all are untouched stubs, no judge is asked.

    Raises SubmissionError for a file that cannot be read, and what Judge.grade raises.
    """
    from grader.judge.seeds import seed_for

    chosen = seed_for(workspace.course, seed)
    submission = submission_of(workspace, works)
    begun = [
        work
        for work in works
        if (source := submission.sources.get(work.exercise.id)) is None or is_started(workspace, work, source.content)
    ]
    if works and not begun and not submission.problems:
        return Checked(_untouched_record(workspace, submission, level, chosen), {}, Noted())
    ids = [work.exercise.id for work in works]
    with closing(judge_for(workspace.course, level, chosen, ids)) as judge:
        record, mismatches = judged(judge, submission, ids, advance)
    return Checked(record, mismatches, note_record(workspace, submission, record, works))


def judged(
    judge: AnyJudge, submission: Submission, only: Sequence[str], advance: Callable[[str], None] = lambda exercise: None
) -> tuple[Record, Mismatches]:
    """The record of these exercises of a submission, and the mismatches of its visible checks.

    Raises what Judge.grade does.
    """
    records: list[Record] = []
    mismatches: dict[tuple[str, str], Mismatch] = {}

    def show(_: str, exercise: str, check: str, mismatch: Mismatch) -> None:
        mismatches[exercise, check] = mismatch

    judge.choose(only)
    judge.grade([submission], records.append, advance, show)
    return records[0], mismatches


def progress_of(workspace: Workspace, say: Callable[[str], None]) -> Progress:
    """The learner's progress; a damaged file is set aside, and what is started is judged again. `say` is told so."""
    file = ProgressFile(workspace.state)
    try:
        return file.read()
    except DamagedProgress as damage:
        say(str(damage))
    if begun := works_started(workspace):
        say(f"Grading the {len(begun)} exercises that you have started, to fill it again.")
        check_works(workspace, begun, strongest_level())
    return file.read()


def note_record(workspace: Workspace, submission: Submission, record: Record, works: Sequence[Work] = ()) -> Noted:
    """Write the results into the progress file. works: the files, if it was files that were checked."""
    own = {work.exercise.id: work for work in works if workspace.work_at(work.path)}
    sources = {id: source.content for id, source in submission.sources.items()}
    tried = [each for each in record.exercises if each.status in ("passed", "failed", "partly") and each.id in sources]
    if not tried:
        return Noted()
    coming: dict[str, datetime] = {}
    try:
        with ProgressFile(workspace.state).change() as progress:
            for result in tried:
                if due := _note(workspace, progress, result, sources[result.id], own.get(result.id)):
                    coming[result.id] = due
    except DamagedProgress as error:
        return Noted(damage=f"{error} `kata` fills it again.")
    except OSError as error:
        return Noted(damage=f"Your progress could not be noted: {error.strerror or error}.")
    return Noted(tuple(f"{id} comes back {when(due, now())}." for id, due in coming.items()))


def _note(
    workspace: Workspace, progress: Progress, result: ExerciseResult, source: bytes, work: Work | None
) -> datetime | None:
    """Note one result; return when the exercise is due again, if a review of it was passed.

    work: the workspace's file that the source was read from. It may have been saved again since.
    """
    exercise = workspace.course.exercise(result.id)
    is_review = work is not None and work.is_review
    if is_review and result.status == "failed" and _is_half_written(stub_of(workspace.course, exercise), source):
        return None
    attempt = AttemptEntry(
        at=now(),
        status=result.status if result.status in ("passed", "partly") else "failed",
        points=result.points,
        max_points=result.max_points,
        digest=digest_of(source),
        kind="review" if is_review else "practice",
        failed=[check.name for check in result.checks if check.outcome == "failed"],
        mistakes={diagnosis.mistake: diagnosis.message for diagnosis in result.diagnosis},
        elsewhere=work is None and content_of(workspace.file_of(exercise)) != source,
    )
    done = progress.of(exercise.id)
    return settle(done, attempt, progress.exercises.values()) if done.note(attempt) else None


def _is_half_written(stub: str, source: bytes) -> bool:
    """Whether a part is not written yet: then a save must not count as a failed review."""
    to_write = {line.strip() for line in stub.splitlines() if line.strip().startswith(PLACEHOLDER)}
    return any(line.strip() in to_write for line in source.decode("utf-8", "replace").splitlines())


def _untouched_record(workspace: Workspace, submission: Submission, level: Level, seed: int) -> Record:
    """The record of stubs as they were given."""
    from grader.record import CourseStamp, ExerciseResult, Record

    course = workspace.course
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
