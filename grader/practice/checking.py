"""Checks a learner's own work: files, or the cells that a kernel ran, become a submission; the results are noted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from grader.course import Course, Exercise
from grader.course.stubs import same_as_stub, stub_of
from grader.errors import KataError
from grader.intake import Submission, read_files, read_submission
from grader.intake.names import ExerciseNames
from grader.intake.notebook import read_python
from grader.judge.faults import NOT_WRITTEN
from grader.record import Mismatch, Mismatches

from .progress import AttemptEntry, TriedStatus, digest_of, now
from .workspace import Work, Workspace, content_of

if TYPE_CHECKING:
    from grader.record import Record
    from grader.service.client import AnyJudge

SUBMITTER = "your work"
NOTEBOOK = "notebook.ipynb"
"""What the cells that a kernel ran are called where they are read."""
TRIED = get_args(TriedStatus)


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
            exercise = names.by_stem(path.stem) or course.exercise(path.stem)
            found = [workspace.work_at(path) or Work(exercise, path)]
        elif unit := next((each for each in course.units if each.is_called(path.name)), None):
            found = [work for work in map(workspace.work_of, unit.exercises) if work.path.is_file()]
        else:
            found = [workspace.work_of(course.exercise(name))]
        works |= {work.exercise.id: work for work in found}
    for id, work in works.items():
        if not work.path.exists():
            given = workspace.shown(workspace.file_of(work.exercise))
            raise KataError(f"{workspace.shown(work.path)} is not there: `kata reset {id}` makes {given} anew.")
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
    judge: AnyJudge,
    workspace: Workspace,
    works: Sequence[Work],
    advance: Callable[[str], None] = lambda exercise: None,
) -> Checked:
    """Judge files and note the results.

    Raises SubmissionError for a file that cannot be read, and what Judge.grade raises.
    """
    submission, ids = submission_of(workspace, works), [work.exercise.id for work in works]
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

    works: the files, if it was files that were checked. A review that is half written is not noted as a failed one.
    """
    reviewed, told = {work.exercise.id for work in works if work.is_review}, []
    tried = [result for result in record.exercises if result.status in TRIED and result.id in submission.sources]
    if not tried:
        return ()
    try:
        with workspace.progress.change() as progress:
            for result in tried:
                done, is_review = progress.of(result.id), result.id in reviewed
                if is_review and any(check.message.startswith(NOT_WRITTEN) for check in result.checks):
                    continue
                attempt = AttemptEntry(
                    at=now(),
                    status=cast("TriedStatus", result.status),
                    points=result.points,
                    max_points=result.max_points,
                    digest=digest_of(submission.sources[result.id].content),
                    kind="review" if is_review else "practice",
                    failed=[check.title for check in result.checks if check.outcome == "failed"],
                    mistakes={diagnosis.mistake: diagnosis.message for diagnosis in result.diagnosis},
                )
                was_open = is_review and done.open_review is not None
                if done.note(attempt) and was_open and done.open_review is None:
                    from .review import cards_of, when

                    told.append(f"{result.id} comes back {when(cards_of(progress)[result.id].due, now())}.")
    except OSError as error:
        return (f"Your progress could not be noted: {error.strerror or error}.",)
    except KataError as error:  # the file was damaged, and is out of the way now
        return (str(error), *note_record(workspace, submission, record, works))
    return tuple(told)


# --- cells of a notebook ----------------------------------------------------------------------------------------------


class ExecutedAnswer(NamedTuple):
    """A submission of one exercise, and the number of the cell that it was taken from.

    lines_before: how many lines of other cells stand in front of the cell in what is judged; line numbers count them.
    """

    submission: Submission
    number: int
    lines_before: int


def answer_among(cells: Sequence[tuple[int, str]], exercise: Exercise, course: Course) -> ExecutedAnswer | None:
    """The answer that was run last, with what it needs from all other cells; None when none was run.

    cells: the number shown beside each, and its text as it was typed; read in the same way as a notebook handed in.
    Earlier answers to the same exercise are ignored: they are no longer in the notebook. Other cells count even when
    they were run after the answer, as they do in the kernel.
    Raises SubmissionError when there is too much to read.
    """
    names = ExerciseNames(course)
    answers = [cell for cell in cells if _answers(cell[1], exercise, course, names)]
    if not answers:
        return None
    number, text = answers[-1]
    nbgrader = {"grade_id": exercise.id, "solution": True}
    read = [{"source": cell[1], "metadata": {}} for cell in cells if cell not in answers]
    read.append({"source": text, "metadata": {"nbgrader": nbgrader}})
    notebook = json.dumps({"cells": [{"cell_type": "code", **cell} for cell in read]}).encode("ascii")
    whole = read_files(SUBMITTER, lambda: [(NOTEBOOK, lambda _: notebook)], course, is_loose=True)
    sources = {id: source for id, source in whole.sources.items() if id == exercise.id}
    problems = tuple(problem for problem in whole.problems if problem.exercise == exercise.id)
    whole_text = "".join(source.content.decode("utf-8", "replace").rstrip() for source in sources.values())
    before = whole_text.removesuffix(text.rstrip())
    lines_before = before.count("\n") if before != whole_text else 0
    return ExecutedAnswer(Submission(SUBMITTER, sources, problems), number, lines_before)


def _answers(text: str, exercise: Exercise, course: Course, names: ExerciseNames) -> bool:
    """Whether a cell answers the exercise, by its first line or by what it defines.

    Some exercises share an entry point's name: a text that begins like the stub of another one answers that.
    """
    candidates, _ = names.by_text(text, read_python(text).defined)
    twins = [each for each in candidates if set(each.entry_points) == set(exercise.entry_points) and each != exercise]
    headings = {stub_of(course, each).lstrip().split("\n", 1)[0].rstrip() for each in twins}
    return exercise in candidates and headings.isdisjoint(line.rstrip() for line in text.split("\n"))
