"""Plain pytest in a course: a learner's own files, one after another, feedback in the learner's terms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.course import Course, CourseError
from grader.course.named import Unnamed, refuse_unnamed
from grader.exhibits import Exhibit
from grader.practice.varied import is_as_given
from grader.practice.workspace import Workspace, find_workspace
from grader.sandbox.launch import Launched, MachineError
from grader.sandbox.levels import Level
from grader.sandbox.opening import AnySandbox, open_sandbox
from grader.submission import read_submission

from .collection import ExerciseFile, Hidden, Kit, NotStarted, worth_of
from .errors import GraderBroken
from .expected import NotInPlan
from .failure import CheckFailed
from .grading import NOT_IN_PLAN, Ending, ending_of
from .noting import note_practice
from .process import LocalProcess, WalledProcess
from .seeds import seed_for
from .session import Process, Session, titles

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter

LOOKS_LIKE_WORK = re.compile(r"[0-9]{2}_\w+\.py")
"""Files that are left alone where nobody named the course; any other in such a folder is none of ours."""

PLAIN_WIDTH = 80
"""Columns of what is not written to a terminal."""


class Practice:
    """Collects the exercise files of a course or a workspace and runs their checks for the learner who runs pytest."""

    def __init__(self, config: pytest.Config, level: Level, launched: Launched | None) -> None:
        """launched: a process at this level that was started ahead, if there is one."""
        self._workspaces: dict[Path, Workspace | None] = {}
        self.level = level
        self._launched = launched
        self._asked_seed: int | None = config.getoption("seed")
        self._seeds: dict[Path, int] = {}
        self._sandbox: AnySandbox | None = None
        self._endings: dict[ExerciseFile, dict[pytest.Item, Ending]] = {}

    def collect(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """The node of an exercise file, or None for any other file."""
        try:
            workspace = self._workspace_of(path)
        except Unnamed as error:
            return BrokenCourse.of(parent, path, error) if LOOKS_LIKE_WORK.fullmatch(path.name) else None
        except CourseError as error:
            broken: pytest.Collector = BrokenCourse.of(parent, path, error)
            return broken
        work = workspace.work_at(path) if workspace else None
        if workspace is None or work is None:
            return None
        course, exercise = workspace.course, work.exercise
        if self._sandbox is None and self.level != "none":
            self._sandbox = open_sandbox(self.level, self._launched)
        try:
            kit = Kit(course, exercise)
            self._seed_of(course)
        except GraderBroken as error:
            damaged: pytest.Collector = BrokenCourse.of(parent, path, error)
            return damaged
        if is_as_given(exercise, path.read_bytes(), kit.stub):
            untouched: pytest.Collector = NotStartedFile.from_parent(parent, path=path)
            return untouched
        node = ExerciseFile.of(parent, path, kit, course)
        node.names_hidden = True
        return node

    def _workspace_of(self, path: Path) -> Workspace | None:
        """The workspace of a file, None for one in none. Raises CourseError, Unnamed for one that was not named."""
        if path.parent not in self._workspaces:
            refuse_unnamed(path.parent, whoever=True)
            self._workspaces[path.parent] = find_workspace(path.parent)
        return self._workspaces[path.parent]

    def _seed_of(self, course: Course) -> int:
        """One seed for all of a course's exercises. Raises GraderBroken for one that a bundle has no plans for."""
        if course.root not in self._seeds:
            self._seeds[course.root] = seed_for(course, self._asked_seed)
        return self._seeds[course.root]

    def seat(self, item: pytest.Item) -> None:
        """Before a check: see that the learner's file can be asked."""
        node = item.getparent(ExerciseFile)
        if node is not None and node.learner_session is None:
            node.learner_session = self._open(node)

    def leave(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """After a check: end the learner's process when the next check is of another file."""
        node = item.getparent(ExerciseFile)
        if node is None or node.learner_session is None:
            return
        if following is None or following.getparent(ExerciseFile) is not node:
            node.learner_session.close()
            workspace, endings = self._workspace_of(node.path), self._endings.pop(node, {})
            assert workspace is not None  # it was collected from there
            note_practice(workspace, node, endings, self.level, self._seed_of(node.course))

    def _open(self, node: ExerciseFile) -> Session:
        exercise = node.kit.exercise
        submission = read_submission(node.path, node.course)
        source = submission.sources.get(exercise.id)
        content = source.content if source else b""

        def start() -> Process:
            process: Process
            if self._sandbox is None:
                process = LocalProcess(exercise, content, str(node.path))
            else:
                process = WalledProcess(exercise, content, self._running_sandbox)
            if source is None:
                process.refusal = " ".join(problem.message for problem in submission.problems)
            return process

        seed = self._seed_of(node.course)
        return Session(start, node.kit.expected(seed), seed, node.kit.stub)

    def _running_sandbox(self) -> AnySandbox:
        assert self._sandbox is not None
        return self._sandbox

    def explain(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Turn pytest's report on a check into what a learner should read."""
        if isinstance(item, NotStarted):
            report.kata_not_started = report.skipped  # type: ignore[attr-defined]
            return
        if isinstance(item, Hidden):
            report.kata_hidden = report.skipped  # type: ignore[attr-defined]
            return
        if report.passed and call.when == "call" and (node := item.getparent(ExerciseFile)) and node.kit.hidden:
            report.kata_example = True  # type: ignore[attr-defined]
        node = item.getparent(ExerciseFile)
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
            told = Told([worth.title, str(call.excinfo.value)], exhibit, titles(node.learner_session.diagnosis()))
            report.outcome = "failed"
            report.longrepr = told  # type: ignore[assignment]  # pytest asks for no more than `toterminal` and `str`
        elif isinstance(call.excinfo.value, NotInPlan):
            report.outcome = "skipped"
            report.kata_hidden = True  # type: ignore[attr-defined]
            report.longrepr = (str(node.path), 0, NOT_IN_PLAN)
        elif isinstance(call.excinfo.value, MachineError):
            report.longrepr = f"This machine cannot isolate your code: {call.excinfo.value}"

    def close(self) -> None:
        """End the sandbox."""
        if self._sandbox is None and self._launched is not None:
            self._sandbox = open_sandbox(self.level, self._launched)
        if self._sandbox is not None:
            self._sandbox.close()


@dataclass(frozen=True)
class Told:
    """What a learner reads about a failed check. To pytest it is a representation of a failure like its own."""

    sentences: Sequence[str]
    exhibit: Exhibit | None
    diagnosis: str

    def __str__(self) -> str:
        """Without colour: for xdist, JUnit, editors."""
        return self._text(PLAIN_WIDTH, colour=False)

    def toterminal(self, writer: TerminalWriter) -> None:
        """Write it as wide and as colourful as the terminal is."""
        for line in self._text(writer.fullwidth, colour=writer.hasmarkup).splitlines():
            writer.line(line)

    def _text(self, width: int, *, colour: bool) -> str:
        seen = ""
        if self.exhibit is not None:
            from grader.reports.heatmap import heatmap_text

            seen = heatmap_text(self.exhibit, width, colour=colour)
        return "\n".join(part for part in (*self.sentences, seen, self.diagnosis) if part)


class BrokenCourse(pytest.File):
    """Stands for an exercise file whose course cannot be read."""

    error: CourseError | GraderBroken

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, error: CourseError | GraderBroken) -> BrokenCourse:
        """The node for a file, with what is wrong with the course."""
        node: BrokenCourse = cls.from_parent(parent, path=path)
        node.error = error
        return node

    def collect(self) -> list[pytest.Item]:
        """Say what is wrong, without a trace."""
        raise self.CollectError(str(self.error))


class NotStartedFile(pytest.File):
    """The node of an exercise whose file is still the stub."""

    def collect(self) -> list[pytest.Item]:
        """One item that says so."""
        item: pytest.Item = NotStarted.from_parent(self, name="not_started")
        return [item]
