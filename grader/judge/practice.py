"""Plain pytest in a course: a learner's own files, one after another, feedback in the learner's terms."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from grader.course import Course, CourseError, find_course, load_course
from grader.results import MAX_SEED
from grader.sandbox.doctor import strongest_level
from grader.sandbox.launch import MachineError
from grader.sandbox.levels import Level
from grader.sandbox.sandbox import Sandbox
from grader.submission import read_submission

from .attempt import Attempt, LocalAttempt
from .collection import ExerciseFile, Kit, NotStarted, worth_of
from .failure import CheckFailed
from .sitting import Sitting, titles


class Practice:
    """Collects a course's exercise files and sits them for the learner who runs pytest."""

    def __init__(self, config: pytest.Config) -> None:
        self._courses: dict[Path, Course] = {}
        self.level = _level(config)
        seed = config.getoption("seed")
        self.seed: int = secrets.randbelow(MAX_SEED + 1) if seed is None else seed
        self._sandbox: Sandbox | None = None

    def collect(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """The node of an exercise file, or None for any other file."""
        try:
            course = self._course_of(path)
        except CourseError as error:
            broken: pytest.Collector = BrokenCourse.of(parent, path, error)
            return broken
        exercise = next((each for each in course.exercises if course.stub_path(each) == path), None)
        if exercise is None:
            return None
        if self._sandbox is None and self.level != "none":
            self._sandbox = Sandbox(self.level)  # torch loads there while the checks are collected
        kit = Kit(course, exercise)
        if kit.is_untouched(path.read_bytes()):
            untouched: pytest.Collector = NotStartedFile.from_parent(parent, path=path)
            return untouched
        return ExerciseFile.of(parent, path, kit, course)

    def _course_of(self, path: Path) -> Course:
        if path.parent not in self._courses:
            self._courses[path.parent] = load_course(find_course(path.parent))
        return self._courses[path.parent]

    def seat(self, item: pytest.Item) -> None:
        """Before a check: see that the learner's file sits its exercise."""
        node = item.getparent(ExerciseFile)
        if node is not None and node.sitting is None:
            node.sitting = self._sit(node)

    def leave(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """After a check: end the learner's process when the next check is of another file."""
        node = item.getparent(ExerciseFile)
        if node is None or node.sitting is None:
            return
        if following is None or following.getparent(ExerciseFile) is not node:
            node.sitting.close()

    def _sit(self, node: ExerciseFile) -> Sitting:
        exercise = node.kit.exercise
        submission = read_submission(node.path, node.course)
        source = submission.sources.get(exercise.id)
        attempt: Attempt | LocalAttempt
        content = source.content if source else b""
        if self._sandbox is None:
            attempt = LocalAttempt(exercise, content, str(node.path))
        else:
            attempt = Attempt(exercise, content, self._running_sandbox)
        if source is None:
            attempt.refusal = " ".join(problem.message for problem in submission.problems)
        return Sitting(attempt, node.kit.expected, self.seed, node.kit.stub)

    def _running_sandbox(self) -> Sandbox:
        assert self._sandbox is not None
        return self._sandbox

    def explain(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Turn pytest's report on a check into what a learner should read."""
        if isinstance(item, NotStarted):
            report.kata_not_started = report.skipped  # type: ignore[attr-defined]
            return
        node = item.getparent(ExerciseFile)
        if node is None or node.sitting is None or call.when != "call":
            return
        worth = worth_of(item)
        node.sitting.note(item.name, passed=call.excinfo is None, is_main=worth.role == "main")
        if call.excinfo is None:
            return
        if isinstance(call.excinfo.value, CheckFailed):
            lines = [worth.title, str(call.excinfo.value), titles(node.sitting.diagnosis())]
            report.outcome = "failed"
            report.longrepr = "\n".join(line for line in lines if line)
        elif isinstance(call.excinfo.value, MachineError):
            report.longrepr = f"This machine cannot isolate your code: {call.excinfo.value}"

    def close(self) -> None:
        """End the sandbox."""
        if self._sandbox is not None:
            self._sandbox.close()


def _level(config: pytest.Config) -> Level:
    """What was asked for, or the strongest; a debugger and print need the code in this process."""
    asked: Level | None = config.getoption("isolation")
    if asked is not None:
        return asked
    wants_a_look_inside = config.getoption("usepdb") or config.getoption("capture") == "no"
    return "none" if wants_a_look_inside else strongest_level()


class BrokenCourse(pytest.File):
    """Stands for an exercise file whose course cannot be read."""

    error: CourseError

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, error: CourseError) -> BrokenCourse:
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
