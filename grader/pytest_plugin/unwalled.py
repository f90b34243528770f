"""A learner's file in pytest's own process, for a debugger and for print: pytest runs the checks itself.

The results go into the learner's progress, as those of `kata check` do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.course import Exercise
from grader.intake import SourceFile, Submission, read_submission
from grader.judge.checks import ExerciseFile, Kit, worth_of
from grader.judge.errors import CheckFailed
from grader.judge.expected import NotInPlan
from grader.judge.grading import NOT_IN_PLAN, Ending, ending_of, result_of
from grader.judge.process import LocalProcess
from grader.judge.session import Session, titles
from grader.practice.checking import SUBMITTER, note_record
from grader.practice.progress import DamagedProgress
from grader.practice.workspace import Workspace
from grader.record import CourseStamp, Record
from grader.sandbox.levels import Level

from .debugged import for_debugger
from .practice import Told, tell


def note_practice(
    workspace: Workspace, node: ExerciseFile, endings: Mapping[pytest.Item, Ending], level: Level, seed: int
) -> None:
    """Record the results of a file, if all its checks have run. An error there must not fail the run."""
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


class Unwalled:
    """Runs checks in pytest's process, each file's in a session of its own."""

    def __init__(self) -> None:
        self._workspaces: dict[Path, Workspace] = {}
        self._seeds: dict[Path, int] = {}
        self._endings: dict[ExerciseFile, dict[pytest.Item, Ending]] = {}

    def node(
        self, parent: pytest.Collector, path: Path, workspace: Workspace, exercise: Exercise, seed: int
    ) -> pytest.Collector:
        """Create the node of a file. Raises GraderBroken."""
        self._workspaces[path], self._seeds[path] = workspace, seed
        node = ExerciseFile.of(parent, path, Kit(workspace.course, exercise), workspace.course)
        node.names_hidden = True
        return node

    def prepare(self, item: pytest.Item) -> None:
        """Before a check: make the learner's file ready to be asked."""
        node = item.getparent(ExerciseFile)
        if node is not None and node.learner_session is None:
            node.learner_session = self._open(node)

    def leave(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """After a check: end the session when the next check is of another file."""
        node = item.getparent(ExerciseFile)
        if node is None or node.learner_session is None:
            return
        if following is None or following.getparent(ExerciseFile) is not node:
            node.learner_session.close()
            endings = self._endings.pop(node, {})
            note_practice(self._workspaces[node.path], node, endings, "none", self._seeds[node.path])

    def _open(self, node: ExerciseFile) -> Session:
        exercise = node.kit.exercise
        submission = read_submission(node.path, node.course)
        source = submission.sources.get(exercise.id)
        content = source.content if source else b""

        def start() -> LocalProcess:
            process = LocalProcess(exercise, content, str(node.path))
            if source is None:
                process.refusal = " ".join(problem.message for problem in submission.problems)
            return process

        seed = self._seeds[node.path]
        return Session(start, node.kit.expected(seed), seed, node.kit.stub)

    def explain(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Replace pytest's report on a check by the learner's text."""
        node = item.getparent(ExerciseFile)
        if report.passed and call.when == "call" and node is not None and node.kit.hidden:
            report.kata_example = True  # type: ignore[attr-defined]
        if node is None or node.learner_session is None or call.when != "call":
            return
        worth = worth_of(item)
        node.learner_session.note(item.name, passed=call.excinfo is None, is_main=worth.role == "main")
        ending = Ending("passed") if call.excinfo is None else ending_of(call.excinfo.value)
        self._endings.setdefault(node, {})[item] = ending
        if call.excinfo is None:
            return
        if isinstance(call.excinfo.value, CheckFailed):
            if item.config.getoption("usepdb"):
                call.excinfo = for_debugger(call.excinfo.value, node.learner_session, item.name, str(node.path))
            mismatch = node.learner_session.mismatch(item.name)
            tell(
                report, Told([worth.title, str(call.excinfo.value)], mismatch, titles(node.learner_session.diagnosis()))
            )
        elif isinstance(call.excinfo.value, NotInPlan):
            report.outcome = "skipped"
            report.kata_hidden = True  # type: ignore[attr-defined]
            report.longrepr = (str(node.path), 0, NOT_IN_PLAN)
