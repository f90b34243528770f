"""Checks a learner's own work: files become a submission, are judged, and the results stand in the progress file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from grader.course import Exercise
from grader.course.stubs import same_as_stub, stub_of
from grader.errors import KataError
from grader.intake import Submission, read_submission
from grader.intake.names import ExerciseNames
from grader.judge.faults import CheckFailed, GraderBroken
from grader.mismatch import Mismatch, Mismatches
from grader.sandbox.levels import Level
from grader.service.client import judge_for

from .progress import AttemptEntry, ProgressFile, digest_of, now
from .review import cards_of, when
from .workspace import Work, Workspace, content_of

if TYPE_CHECKING:
    from types import TracebackType

    from grader.judge.grading import Judge, SteppedExercise
    from grader.record import Record
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
        elif unit := next((each for each in course.units if path.name == each.folder or each.is_called(name)), None):
            there = map(workspace.work_of, unit.exercises)
            works.update({work.exercise.id: work for work in there if work.path.is_file()})
        else:
            exercise = course.exercise(name)
            works[exercise.id] = workspace.work_of(exercise)
    for id, work in works.items():
        if not work.path.exists():
            shown = workspace.shown(work.path)
            raise KataError(f"{shown} is not there: `kata reset {id}` puts the given file in its place.")
    return list(works.values())


def works_started(workspace: Workspace) -> list[Work]:
    """The exercises' files that exist and differ from the stub. Raises OSError."""
    works = map(workspace.work_of, workspace.course.exercises)
    return [work for work in works if work.path.is_file() and not is_as_given(workspace, work)]


def is_as_given(workspace: Workspace, work: Work) -> bool:
    """Whether the file is its exercise's stub; what is no plain file is not."""
    content = content_of(work.path)
    return content is not None and same_as_stub(content, stub_of(workspace.course, work.exercise))


def submission_of(workspace: Workspace, works: Sequence[Work]) -> Submission:
    """The files as one submission. Raises SubmissionError for a file that is missing or cannot be read."""
    ids = {work.exercise.id for work in works}
    read = [read_submission(work.path, workspace.course) for work in works]
    sources = {id: source for each in read for id, source in each.sources.items() if id in ids}
    return Submission(SUBMITTER, sources, tuple(problem for each in read for problem in each.problems))


@dataclass(frozen=True)
class Checked:
    """A learner's own work, judged and noted. told: sentences on what became of that in the progress file."""

    record: Record
    mismatches: Mismatches
    told: tuple[str, ...] = ()

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
    """Judge files and note the results.

    Raises SubmissionError for a file that cannot be read, and what Judge.grade raises.
    """
    from grader.judge.seeds import seed_for

    submission, ids = submission_of(workspace, works), [work.exercise.id for work in works]
    with closing(judge_for(workspace.course, level, seed_for(workspace.course, seed), ids)) as judge:
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


def note_record(
    workspace: Workspace, submission: Submission, record: Record, works: Sequence[Work] = ()
) -> tuple[str, ...]:
    """Write the results into the progress file; returns what there is to say of that, such as what comes back when.

    works: the files, if it was files that were checked. They may have been saved again since they were read.
    """
    own = {work.exercise.id: work for work in works if workspace.work_at(work.path)}
    tried = [result for result in record.exercises if result.status in ("passed", "failed", "partly")]
    tried = [result for result in tried if result.id in submission.sources]
    if not tried:
        return ()
    told: list[str] = []
    try:
        with ProgressFile(workspace.state).change() as progress:
            told += [progress.damage] if progress.damage else []
            for result in tried:
                exercise, work = workspace.course.exercise(result.id), own.get(result.id)
                content = submission.sources[result.id].content
                is_review = work is not None and work.is_review
                if is_review and result.status == "failed" and _is_half_written(workspace, exercise, content):
                    continue
                attempt = AttemptEntry(
                    at=now(),
                    status=result.status if result.status in ("passed", "partly") else "failed",
                    points=result.points,
                    max_points=result.max_points,
                    digest=digest_of(content),
                    kind="review" if is_review else "practice",
                    failed=[check.name for check in result.checks if check.outcome == "failed"],
                    mistakes={diagnosis.mistake: diagnosis.message for diagnosis in result.diagnosis},
                    elsewhere=work is None and content_of(workspace.file_of(exercise)) != content,
                )
                done = progress.of(exercise.id)
                review = done.open_review if is_review else None
                if done.note(attempt) and review is not None and done.open_review is None:
                    told.append(f"{exercise.id} comes back {when(cards_of(progress)[exercise.id].due, now())}.")
    except OSError as error:
        return (f"Your progress could not be noted: {error.strerror or error}.",)
    return tuple(told)


def _is_half_written(workspace: Workspace, exercise: Exercise, source: bytes) -> bool:
    """Whether a part is not written yet: then a save must not count as a failed review."""
    stub = map(str.strip, stub_of(workspace.course, exercise).splitlines())
    to_write = {line for line in stub if line.startswith(PLACEHOLDER)}
    return any(line.strip() in to_write for line in source.decode("utf-8", "replace").splitlines())


# --- one by one, as pytest runs them ----------------------------------------------------------------------------------


class FileChecks:
    """The checks of a file: graded in one request, or each by itself in this process (isolation level "none").

    is_walled: whether the judge runs the learner's code elsewhere than in this process.
    """

    def __init__(self, workspace: Workspace, work: Work, judge: Callable[[], AnyJudge], *, is_walled: bool) -> None:
        self._workspace, self._work, self._judge, self._is_walled = workspace, work, judge, is_walled
        self._left: set[str] = set()
        """Those that have not run."""
        self.is_done = False
        """Whether all have run. pytest may look at a file and run none of its checks."""

    def listed(self) -> list[str]:
        """Their names. Raises MachineError, KataError."""
        nothing = Submission(SUBMITTER, {}, ())
        record, _ = judged(self._judge(), nothing, [self._work.exercise.id])
        listed = [check.name for check in record.exercises[0].checks]
        self._left = set(listed)
        return listed

    def run(self, name: str) -> str:
        """Run one; return why it could not be checked here, or "". When all have run, the file counts as tried.

        Raises CheckFailed, with the frames that raised it if they are of this process; MachineError, KataError.
        """
        failure = None if self._is_walled else self._stepped.run(name)
        record, _ = self.graded()
        result = next(each for each in record.exercises[0].checks if each.name == name)
        if self._left == {name}:
            note_record(self._workspace, self._submission, record, [self._work])
            self.is_done = True
        self._left.discard(name)
        if failure is not None or result.outcome == "failed":
            raise failure or CheckFailed(result.message)
        if result.outcome == "error":
            raise GraderBroken(result.message)
        return result.message if result.outcome == "skipped" else ""

    def graded(self) -> tuple[Record, Mismatches]:
        """What they have come to, and what can be seen of those that failed. Raises MachineError, KataError."""
        return self._at_once if self._is_walled else (self._stepped.record(), self._stepped.mismatches())

    def frames(self, error: CheckFailed, name: str) -> TracebackType | None:
        """The frames in which a debugger opens at a failure."""
        return error.__traceback__ if self._is_walled else self._stepped.frames(error, name)

    @cached_property
    def _submission(self) -> Submission:
        return submission_of(self._workspace, [self._work])

    @cached_property
    def _at_once(self) -> tuple[Record, Mismatches]:
        return judged(self._judge(), self._submission, [self._work.exercise.id])

    @cached_property
    def _stepped(self) -> SteppedExercise:
        from grader.judge.grading import SteppedExercise

        judge = cast("Judge", self._judge())
        judge.choose([self._work.exercise.id])
        return SteppedExercise(judge, self._work.exercise, self._submission, self._work.path)
