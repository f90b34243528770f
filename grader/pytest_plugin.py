"""Plain pytest in a course: `pytest exercises/<unit>/<NN>_<id>.py` runs an exercise's checks on the learner's file.

pytest never imports that file: the service judges it, all checks in one request. For `--pdb` and `-s` the judge works
in this process, one check at a time, at isolation level "none". Every pytest in the environment loads this module, so
it imports nothing heavy at its top; outside of a course it does nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from grader.errors import KataError
from grader.judge.faults import CheckFailed, GraderBroken
from grader.sandbox.levels import MachineError

if TYPE_CHECKING:
    from grader.intake import Submission
    from grader.judge.grading import Judge, Session
    from grader.practice.workspace import Work, Workspace
    from grader.record import Mismatches, Record
    from grader.sandbox.levels import Level
    from grader.service.client import AnyJudge

LOOKS_LIKE_WORK = re.compile(r"[0-9]{2}_\w+\.py")
"""Names of exercise files. Outside of a workspace only these are reported; pytest gets the others."""
COLUMNS = 80
"""Width of the tables of a failed check."""


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


class CheckedFile(pytest.File):
    """A learner's file; its items are its checks: judged in one request, or at level "none" each by itself here."""

    practice: Practice
    workspace: Workspace
    work: Work
    is_as_given = False
    fault = ""
    """Why its checks cannot be collected."""

    def collect(self) -> Iterable[pytest.Item]:
        """An item for each check; one that is skipped for a file that is as it was given."""
        if self.fault:
            raise self.CollectError(self.fault)
        try:
            names = ["not_started"] if self.is_as_given else self._names()
        except (MachineError, KataError) as error:
            raise self.CollectError(_sentence(error)) from None
        self._left = set(names)
        for name in names:
            item: LearnerCheck = LearnerCheck.from_parent(self, name=name)
            if self.config.pluginmanager.hasplugin("timeout") and self.practice.level != "none":
                # the judge limits the time of the learner's code; waiting for other requests is not its fault
                item.add_marker(pytest.mark.timeout(0))
            yield item

    def _names(self) -> list[str]:
        from grader.intake import Submission

        record, _ = self._judged(Submission("nothing", {}, ()))
        return [check.name for check in record.exercises[0].checks]

    def run(self, name: str) -> str:
        """Run one check; return why it could not be checked here, or "". When all have run, the file counts as tried.

        Raises CheckFailed, with the frames that raised it if they are of this process; MachineError, KataError.
        """
        from grader.practice.checking import note_record

        failure = self._stepped.step(name) if self.is_stepped else None
        record, _ = self.graded()
        result = next(each for each in record.exercises[0].checks if each.name == name)
        self._left.discard(name)
        if not self._left:
            note_record(self.workspace, self._submission, record, [self.work])
        if failure is not None or result.outcome == "failed":
            raise failure or CheckFailed(result.message)
        if result.outcome == "error":
            raise GraderBroken(result.message)
        return result.message if result.outcome == "skipped" else ""

    def graded(self) -> tuple[Record, Mismatches]:
        """What the checks have come to, and what can be seen of those that failed. Raises MachineError, KataError."""
        if not self.is_stepped:
            return self._at_once
        judge, id = cast("Judge", self.practice.judge), self.work.exercise.id
        mismatches = {(id, name): mismatch for name, mismatch in self._stepped.mismatches().items()}
        return judge.record(self._submission, [self._stepped.result()]), mismatches

    def frames(self, error: CheckFailed) -> Any:
        """The frames in which a debugger opens at a failure: the learner's; where none raised it, the check's."""
        if not self.is_stepped:
            return error.__traceback__
        from grader.judge.process import frames_of

        files = (self.work.path, self.practice.course.checks_path(self.work.exercise))
        found = (frames_of(error.__traceback__, str(file)) for file in files)
        return next(filter(None, found), error.__traceback__)

    @property
    def is_stepped(self) -> bool:
        """Whether the checks run one by one in this process."""
        return self.practice.level == "none"

    def _judged(self, submission: Submission) -> tuple[Record, Mismatches]:
        from grader.practice.checking import judged

        return judged(self.practice.judge, submission, [self.work.exercise.id])

    @cached_property
    def _submission(self) -> Submission:
        from grader.practice.checking import submission_of

        return submission_of(self.workspace, [self.work])

    @cached_property
    def _at_once(self) -> tuple[Record, Mismatches]:
        return self._judged(self._submission)

    @cached_property
    def _stepped(self) -> Session:
        from grader.judge.grading import Session

        judge, id = cast("Judge", self.practice.judge), self.work.exercise.id
        judge.choose([id])
        return Session(judge, judge.kits[id], self._submission, path=str(self.work.path))


class LearnerCheck(pytest.Item):
    """One check of a learner's file; of a file that is as it was given, the one item, which is not run."""

    @property
    def file(self) -> CheckedFile:
        """The file that it is a check of."""
        return cast("CheckedFile", self.parent)

    def runtest(self) -> None:
        """Raises CheckFailed for a fault of the learner's, MachineError and KataError for others."""
        if reason := "not started" if self.file.is_as_given else self.file.run(self.name):
            pytest.skip(reason)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What pytest shows of a failure: the verdict on the check, or the sentence of an error."""
        from grader.render.terminal import check_text
        from grader.render.verdict import verdict_on

        if isinstance(excinfo.value, CheckFailed):
            record, mismatches = self.file.graded()
            return check_text(verdict_on(record.exercises[0], mismatches=mismatches), self.name, COLUMNS)
        if isinstance(excinfo.value, (MachineError, KataError)):
            return _sentence(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The heading of a failure."""
        return self.path, None, f"{self.path.stem}: {self.name}"


def _sentence(error: Exception) -> str:
    return f"This machine cannot isolate your code: {error}" if isinstance(error, MachineError) else str(error)


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
        node.practice = stash[PRACTICE]
        node.workspace = workspace_around(node.practice.course, file_path.parent)
        if (work := node.workspace.work_at(file_path)) is None:
            return collected
        node.work, node.is_as_given = work, is_as_given(node.workspace, work)
    except KataError as error:
        if not (isinstance(error, CourseError) or LOOKS_LIKE_WORK.fullmatch(file_path.name)):
            return collected
        node.fault = str(error)
    return [node]


@pytest.hookimpl(tryfirst=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector, call: pytest.CallInfo[Any]) -> None:
    """For `--pdb`: open the debugger in the learner's lines, or in those of the check."""
    error = call.excinfo.value if call.excinfo is not None else None
    if isinstance(node, LearnerCheck) and isinstance(error, CheckFailed):
        trace = node.file.frames(error)
        call.excinfo = pytest.ExceptionInfo.from_exception(error.with_traceback(trace))
