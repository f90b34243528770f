"""Plain pytest in a course: `pytest exercises/<unit>/<NN>_<id>.py` runs an exercise's checks on the learner's file.

pytest never imports that file: the service judges it, all checks in one request. For `--pdb` and `-s` the judge works
in this process, one check at a time, at isolation level "none". Every pytest in the environment loads this module, so
it imports nothing heavy at its top; outside of a course it does nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from grader.errors import KataError
from grader.judge.faults import CheckFailed, GraderBroken
from grader.sandbox.levels import MachineError

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter

    from grader.intake import Submission
    from grader.judge.grading import Judge, SteppedExercise
    from grader.practice.workspace import Work, Workspace
    from grader.record import Mismatches, Record
    from grader.sandbox.levels import Level
    from grader.service.client import AnyJudge

LOOKS_LIKE_WORK = re.compile(r"[0-9]{2}_\w+\.py")
"""Names of exercise files. Outside of a workspace only these are reported; pytest gets the others."""
PLAIN_WIDTH = 80
"""Columns of output that does not go to a terminal."""
STUB = "kata_stub"
"""A keyword of the item of a file that is as it was given, which its report has too."""


class Practice:
    """What all exercise files of a run share: the course, the level, the seed and the judge."""

    def __init__(self, config: pytest.Config) -> None:
        """Raises CourseError, and GraderBroken for a seed that there are no plans for."""
        from grader.course import load_course
        from grader.course.installed import course_file
        from grader.sandbox.doctor import strongest_level

        self.course = load_course(course_file())
        self.seed = self.course.seed_for(config.getoption("seed"))
        is_looked_into = config.getoption("usepdb") or config.getoption("capture") == "no"
        self.level: Level = config.getoption("isolation") or ("none" if is_looked_into else strongest_level())
        self.done: list[FileChecks] = []
        """The files of which all checks have run. pytest may look at a file and run none of its checks."""
        self._at_the_end = config.add_cleanup

    @cached_property
    def judge(self) -> AnyJudge:
        """The course's judge. Raises MachineError, GraderBroken."""
        from grader.service.client import judge_for

        judge = judge_for(self.course, self.level, self.seed)
        self._at_the_end(judge.close)
        return judge


PRACTICE: pytest.StashKey[Practice] = pytest.StashKey()
"""The Practice of this run, created at the first exercise file."""


class FileChecks:
    """The checks of a learner's file: judged in one request, or at level "none" each by itself in this process."""

    def __init__(self, practice: Practice, workspace: Workspace, work: Work) -> None:
        self._practice, self._workspace, self._work = practice, workspace, work
        self._is_stepped = practice.level == "none"
        self._left: set[str] = set()
        """Those that have not run."""

    def names(self) -> list[str]:
        """Their names. Raises MachineError, KataError."""
        from grader.intake import Submission

        record, _ = self._judged(Submission("nothing", {}, ()))
        self._left = {check.name for check in record.exercises[0].checks}
        return [check.name for check in record.exercises[0].checks]

    def run(self, name: str) -> str:
        """Run one; return why it could not be checked here, or "". When all have run, the file counts as tried.

        Raises CheckFailed, with the frames that raised it if they are of this process; MachineError, KataError.
        """
        from grader.practice.checking import note_record

        failure = self._stepped.run(name) if self._is_stepped else None
        record, _ = self.graded()
        result = next(each for each in record.exercises[0].checks if each.name == name)
        if self._left == {name}:
            note_record(self._workspace, self._submission, record, [self._work])
            self._practice.done.append(self)
        self._left.discard(name)
        if failure is not None or result.outcome == "failed":
            raise failure or CheckFailed(result.message)
        if result.outcome == "error":
            raise GraderBroken(result.message)
        return result.message if result.outcome == "skipped" else ""

    def graded(self) -> tuple[Record, Mismatches]:
        """What they have come to, and what can be seen of those that failed. Raises MachineError, KataError."""
        return (self._stepped.record(), self._stepped.mismatches()) if self._is_stepped else self._at_once

    def frames(self, error: CheckFailed, name: str) -> Any:
        """The frames in which a debugger opens at a failure."""
        return self._stepped.frames(error, name) if self._is_stepped else error.__traceback__

    def _judged(self, submission: Submission) -> tuple[Record, Mismatches]:
        from grader.practice.checking import judged

        return judged(self._practice.judge, submission, [self._work.exercise.id])

    @cached_property
    def _submission(self) -> Submission:
        from grader.practice.checking import submission_of

        return submission_of(self._workspace, [self._work])

    @cached_property
    def _at_once(self) -> tuple[Record, Mismatches]:
        return self._judged(self._submission)

    @cached_property
    def _stepped(self) -> SteppedExercise:
        from grader.judge.grading import SteppedExercise

        judge = cast("Judge", self._practice.judge)
        judge.choose([self._work.exercise.id])
        return SteppedExercise(judge, self._work.exercise, self._submission, self._work.path)


class CheckedFile(pytest.File):
    """A learner's file; its items are its `checks`: None as long as it is as it was given, or if it has a `fault`."""

    checks: FileChecks | None = None
    fault = ""

    def collect(self) -> Iterable[pytest.Item]:
        """An item for each check."""
        if self.fault:
            raise self.CollectError(self.fault)
        try:
            names = self.checks.names() if self.checks else ["not_started"]
        except (MachineError, KataError) as error:
            raise self.CollectError(_sentence(error)) from None
        for name in names:
            item: LearnerCheck = LearnerCheck.from_parent(self, name=name)
            item.checks = self.checks
            if item.checks is None:
                item.keywords[STUB] = True
            if item.config.pluginmanager.hasplugin("timeout") and item.config.stash[PRACTICE].level != "none":
                # the judge limits the time of the learner's code; waiting for other requests is not its fault
                item.add_marker(pytest.mark.timeout(0))
            yield item


class LearnerCheck(pytest.Item):
    """One check of a learner's file; of a file that is as it was given, the one item, which is not run."""

    checks: FileChecks | None = None

    def runtest(self) -> None:
        """Raises CheckFailed for a fault of the learner's, MachineError and KataError for others."""
        if reason := self.checks.run(self.name) if self.checks else "not started":
            pytest.skip(reason)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What pytest shows of a failure: the verdict on the check, or the sentence of an error."""
        from grader.render.terminal import check_text
        from grader.render.verdict import verdict_on

        if isinstance(excinfo.value, CheckFailed) and self.checks:
            record, mismatches = self.checks.graded()
            return FailedCheck(partial(check_text, verdict_on(record.exercises[0], mismatches=mismatches), self.name))
        if isinstance(excinfo.value, (MachineError, KataError)):
            return _sentence(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The heading of a failure."""
        return self.path, None, f"{self.path.stem}: {self.name}"


def _sentence(error: Exception) -> str:
    return f"This machine cannot isolate your code: {error}" if isinstance(error, MachineError) else str(error)


@dataclass(frozen=True)
class FailedCheck:
    """The text of a failed check. pytest treats it as its own representation of a failure."""

    text: Callable[..., str]
    """Makes it for a width and with or without colour."""

    def __str__(self) -> str:
        """Without colour: for xdist, JUnit and editors."""
        return self.text(PLAIN_WIDTH, colour=False)

    def toterminal(self, writer: TerminalWriter) -> None:
        """Write it with the terminal's width and colours."""
        for line in self.text(writer.fullwidth, colour=writer.hasmarkup).splitlines():
            writer.line(line)


# --- pytest's hooks -----------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --isolation and --seed."""
    group = parser.getgroup("attention kata")
    group.addoption(
        "--isolation",
        choices=("full", "reduced", "process", "none"),
        help="how a learner's code is walled off (default: the strongest this machine has; none for --pdb and -s)",
    )
    group.addoption("--seed", type=int, help="seed of the hidden inputs (default: a fresh one)")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> Generator[None, Any, Any]:
    """Among exercises no conftest.py is loaded: a workspace may have come from anyone."""
    named = [Path(os.path.abspath(each.partition("::")[0])) for each in args if not each.startswith("-")]
    if any(map(_may_be_work, named)) or os.path.isdir(".kata"):
        early_config.known_args_namespace.noconftest = True
    return (yield)


def _may_be_work(path: Path) -> bool:
    """Whether a path may lie among the exercises of a workspace or a course. Later steps find out whether it does."""
    return any(
        {"exercises", "review"}.intersection(path.relative_to(folder).parts)
        and (os.path.isdir(folder / ".kata") or os.path.isfile(folder / "course.yml"))
        for folder in path.parents
    )


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
    """Collect an exercise file as its checks; pytest's own node would import it."""
    collected = yield
    if file_path.suffix != ".py" or not _may_be_work(file_path):
        return collected
    from grader.course import CourseError
    from grader.practice.checking import is_as_given
    from grader.practice.workspace import workspace_around

    node: CheckedFile = CheckedFile.from_parent(parent, path=file_path)
    stash = parent.config.stash
    try:
        if PRACTICE not in stash:
            stash[PRACTICE] = Practice(parent.config)
        workspace = workspace_around(stash[PRACTICE].course, file_path.parent)
        if (work := workspace.work_at(file_path)) is None:
            return collected
        if not is_as_given(workspace, work):
            node.checks = FileChecks(stash[PRACTICE], workspace, work)
    except KataError as error:
        if not (isinstance(error, CourseError) or LOOKS_LIKE_WORK.fullmatch(file_path.name)):
            return collected
        node.fault = str(error)
    return [node]


@pytest.hookimpl(tryfirst=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector, call: pytest.CallInfo[Any]) -> None:
    """For `--pdb`: open the debugger in the learner's lines, or in those of the check."""
    error = call.excinfo.value if call.excinfo is not None else None
    if isinstance(node, LearnerCheck) and node.checks and isinstance(error, CheckFailed):
        trace = node.checks.frames(error, node.name)
        call.excinfo = pytest.ExceptionInfo.from_exception(error.with_traceback(trace))


def pytest_report_teststatus(report: Any) -> tuple[str, str, str] | None:
    """Count files that are as they were given by themselves."""
    is_stub = report.skipped and STUB in getattr(report, "keywords", ())
    return ("not started", "-", "NOT STARTED") if is_stub else None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Offer `kata play`, if one exercise was checked behind the wall."""
    practice = config.stash.get(PRACTICE, None)
    if practice and practice.level != "none" and len(practice.done) == 1:
        from grader.play.catalogue import offer_of

        record, _ = practice.done[0].graded()
        if offer := offer_of(record.exercises[0]):
            terminalreporter.write_line(offer)
