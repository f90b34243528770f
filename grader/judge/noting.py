"""What plain pytest found is remembered as what `kata check` finds: in the learner's progress."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import pytest

from grader.practice.checking import SUBMITTER, note_record
from grader.practice.progress import DamagedProgress
from grader.practice.workspace import Workspace
from grader.results import CourseStamp, Record
from grader.sandbox.levels import Level
from grader.submission import SourceFile, Submission

from .collection import ExerciseFile, worth_of
from .grading import Ending, result_of


def note_practice(
    workspace: Workspace, node: ExerciseFile, endings: Mapping[pytest.Item, Ending], level: Level, seed: int
) -> None:
    """Note how a file did, if all its checks have run. That nothing can be noted must not spoil the run."""
    if node.learner_session is None or len(endings) < node.size:
        return
    process, course = node.learner_session.process, node.course
    id = node.kit.exercise.id
    worths = {item.name: worth_of(item) for item in endings}
    by_name = {item.name: ending for item, ending in endings.items()}
    record = Record.of(
        submission=SUBMITTER,
        isolation=level,
        seed=seed,
        course=CourseStamp(title=course.title, version=course.version),
        exercises=[result_of(node.kit, node.learner_session, worths, by_name, 0.0)],
        problems=[],
    )
    submission = Submission(SUBMITTER, {id: SourceFile(id, node.path.name, process.source)}, ())
    with contextlib.suppress(OSError, DamagedProgress):
        note_record(workspace, submission, record, {id} if workspace.is_review(node.path) else ())
