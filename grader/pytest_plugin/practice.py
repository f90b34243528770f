"""Plain pytest in a course: collects a learner's files and reports failures in the learner's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.course import Course, CourseError, Exercise
from grader.course.named import Unnamed, refuse_unnamed
from grader.course.stubs import StubError, stub_of
from grader.intake import SubmissionError
from grader.judge.errors import CheckFailed, GraderBroken
from grader.judge.points import BrokenCourse, Hidden, NotStarted, NotStartedFile
from grader.judge.seeds import seed_for
from grader.mismatch import Mismatch
from grader.practice.varied import is_as_given
from grader.practice.workspace import Workspace, find_workspace
from grader.sandbox.launch import MachineError
from grader.sandbox.levels import Level
from grader.service.client import JudgeLine
from grader.service.opening import line_for
from grader.service.place import ServiceError

from .graded_file import GradedCheck, GradedFile

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter

    from .unwalled import Unwalled

PLAIN_WIDTH = 80
"""Columns of output that does not go to a terminal."""


def tell(report: pytest.TestReport, told: Told) -> None:
    """Make pytest report a check as failed, with this text."""
    report.outcome = "failed"
    report.longrepr = told  # type: ignore[assignment]  # pytest asks for no more than `toterminal` and `str`


@dataclass(frozen=True)
class Told:
    """The text of a failed check. pytest treats it as its own representation of a failure."""

    sentences: Sequence[str]
    mismatch: Mismatch | None
    diagnosis: str

    def __str__(self) -> str:
        """Without colour: for xdist, JUnit and editors."""
        return self._text(PLAIN_WIDTH, colour=False)

    def toterminal(self, writer: TerminalWriter) -> None:
        """Write it with the terminal's width and colours."""
        for line in self._text(writer.fullwidth, colour=writer.hasmarkup).splitlines():
            writer.line(line)

    def _text(self, width: int, *, colour: bool) -> str:
        seen = ""
        if self.mismatch is not None:
            from grader.render.heatmap import heatmap_text

            seen = heatmap_text(self.mismatch, width, colour=colour)
        return "\n".join(part for part in (*self.sentences, seen, self.diagnosis) if part)


LOOKS_LIKE_WORK = re.compile(r"[0-9]{2}_\w+\.py")
"""Names of exercise files. In a course that is not registered only these are reported; pytest gets the others."""


class Practice:
    """Collects the exercise files of a course or a workspace and runs their checks."""

    def __init__(self, config: pytest.Config, level: Level) -> None:
        self._workspaces: dict[Path, Workspace | None] = {}
        self.level = level
        self._asked_seed: int | None = config.getoption("seed")
        self._seeds: dict[Path, int] = {}
        self._lines: dict[Path, JudgeLine] = {}
        self._unwalled: Unwalled | None = None
        self._graded: list[GradedFile] = []

    def collect(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """The node of an exercise file; None for any other file."""
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
        try:
            return self._node(parent, path, workspace, exercise, self._seed_of(course))
        except (GraderBroken, ServiceError, StubError) as error:
            damaged: pytest.Collector = BrokenCourse.of(parent, path, error)
            return damaged

    def _node(
        self, parent: pytest.Collector, path: Path, workspace: Workspace, exercise: Exercise, seed: int
    ) -> pytest.Collector:
        """Create the node. Raises GraderBroken, ServiceError, StubError."""
        course = workspace.course
        if is_as_given(exercise, path.read_bytes(), stub_of(course, exercise)):
            untouched: pytest.Collector = NotStartedFile.from_parent(parent, path=path)
            return untouched
        if self.level != "none":
            graded = GradedFile.of(parent, path, workspace, exercise)
            graded.line, graded.seed = self._line_for(course), seed
            self._graded.append(graded)
            return graded
        if self._unwalled is None:
            from .unwalled import Unwalled  # imports torch

            self._unwalled = Unwalled()
        return self._unwalled.node(parent, path, workspace, exercise, seed)

    def _line_for(self, course: Course) -> JudgeLine:
        """The connection to the course's judge. Raises ServiceError."""
        if course.root not in self._lines:
            self._lines[course.root] = line_for(course.root / "course.yml", self.level)
        return self._lines[course.root]

    def _workspace_of(self, path: Path) -> Workspace | None:
        """A file's workspace, None if it is in none. Raises CourseError, Unnamed for one that was not registered."""
        if path.parent not in self._workspaces:
            refuse_unnamed(path.parent, any_owner=True)
            self._workspaces[path.parent] = find_workspace(path.parent)
        return self._workspaces[path.parent]

    def _seed_of(self, course: Course) -> int:
        """One seed for all exercises of a course. Raises GraderBroken for a seed that a bundle has no plans for."""
        if course.root not in self._seeds:
            self._seeds[course.root] = seed_for(course, self._asked_seed)
        return self._seeds[course.root]

    def prepare(self, item: pytest.Item) -> None:
        """Called before a check."""
        if self._unwalled is not None:
            self._unwalled.prepare(item)

    def leave(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """Called after a check."""
        if self._unwalled is not None:
            self._unwalled.leave(item, following)

    def explain(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Replace pytest's report on a check by the learner's text."""
        if isinstance(item, NotStarted):
            report.kata_not_started = report.skipped  # type: ignore[attr-defined]
            return
        if isinstance(item, Hidden):
            report.kata_hidden = report.skipped  # type: ignore[attr-defined]
            return
        if isinstance(item, GradedCheck):
            _explain_graded(item, call, report)
            return
        if self._unwalled is not None:
            self._unwalled.explain(item, call, report)

    def offer(self) -> str:
        """How the one exercise that was checked can be seen at work; empty for several, or where it cannot."""
        from grader.play.catalogue import offer_of

        results = [file.result for file in self._graded if file.is_done]
        return offer_of(results[0]) if len(results) == 1 else ""

    def close(self) -> None:
        """Close the connections."""
        for line in self._lines.values():
            line.close()


def _explain_graded(item: GradedCheck, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
    if call.when != "call":
        return
    if call.excinfo is None:
        if item.file.has_hidden:
            report.kata_example = True  # type: ignore[attr-defined]
        return
    error = call.excinfo.value
    if isinstance(error, CheckFailed):
        said = "\n".join(f"Probably: {each.message}" for each in item.file.diagnosis())
        tell(report, Told([item.title, str(error)], item.file.mismatch_of(item.name), said))
    elif isinstance(error, MachineError):
        report.longrepr = f"This machine cannot isolate your code: {error}"
    elif isinstance(error, (GraderBroken, SubmissionError)):
        report.longrepr = str(error)
    elif report.skipped:
        report.kata_hidden = True  # type: ignore[attr-defined]
