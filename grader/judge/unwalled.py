"""A learner's file that runs in pytest's own process, for a debugger and for print: the checks are pytest's there."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Exercise
from grader.practice.workspace import Workspace
from grader.submission import read_submission

from .collection import ExerciseFile, Kit, worth_of
from .errors import CheckFailed
from .expected import NotInPlan
from .grading import NOT_IN_PLAN, Ending, ending_of
from .noting import note_practice
from .process import LocalProcess
from .session import Session, titles
from .told import Told, tell


class Unwalled:
    """Runs checks as pytest does, each file's in a session of its own."""

    def __init__(self) -> None:
        self._workspaces: dict[Path, Workspace] = {}
        self._seeds: dict[Path, int] = {}
        self._endings: dict[ExerciseFile, dict[pytest.Item, Ending]] = {}

    def node(
        self, parent: pytest.Collector, path: Path, workspace: Workspace, exercise: Exercise, seed: int
    ) -> pytest.Collector:
        """The node of a file. Raises GraderBroken."""
        self._workspaces[path], self._seeds[path] = workspace, seed
        node = ExerciseFile.of(parent, path, Kit(workspace.course, exercise), workspace.course)
        node.names_hidden = True
        return node

    def seat(self, item: pytest.Item) -> None:
        """Before a check: see that the learner's file can be asked."""
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
        """Turn pytest's report on a check into what a learner should read."""
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
            exhibit = node.learner_session.exhibit(item.name)
            tell(
                report, Told([worth.title, str(call.excinfo.value)], exhibit, titles(node.learner_session.diagnosis()))
            )
        elif isinstance(call.excinfo.value, NotInPlan):
            report.outcome = "skipped"
            report.kata_hidden = True  # type: ignore[attr-defined]
            report.longrepr = (str(node.path), 0, NOT_IN_PLAN)
