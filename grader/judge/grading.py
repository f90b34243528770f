"""Grade submissions: the hidden checks are collected once by pytest and then run for one submission after another."""

from __future__ import annotations

import gc
import math
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from grader.course import Course, Exercise
from grader.exhibits import Exhibit, Shown
from grader.results import (
    HIDDEN,
    POINTS_TOLERANCE,
    CheckResult,
    CourseStamp,
    Diagnosis,
    ExerciseResult,
    Outcome,
    Problem,
    Record,
    Status,
)
from grader.sandbox.launch import Launched, MachineError
from grader.sandbox.levels import Level
from grader.sandbox.opening import AnySandbox, open_sandbox
from grader.sandbox.sandbox import Sandbox
from grader.submission import Submission

from . import fixtures
from .attempt import Attempt, LocalAttempt
from .collection import ExerciseFile, Kit, Worth, exercise_file, worth_of
from .errors import GraderBroken
from .failure import CheckFailed
from .foresight import Conversation, Foresight
from .overdue import Limit
from .sitting import Sitting
from .together import Apart, shared_by
from .verdicts import Verdicts

BEHIND_THE_DEADLINES_SECONDS = 300
"""pytest-timeout's limit for one check: far beyond the judge's own deadlines, in case these fail."""

LOADING_SECONDS = 0.4
"""A file that takes so much longer than the first may have made torch load what it loads late."""

FEWEST_TOGETHER = 2

MAX_MESSAGE = 2000

UNCOUNTED = "Counts once the main check of this exercise passes."

# A batch needs none of what pytest does for a person at a terminal.
LEAN = ("cacheprovider", "terminal", "capture", "logging", "warnings", "doctest", "junitxml", "stepwise", "pastebin",
        "setuponly", "setupplan", "debugging", "nose", "faulthandler", "unraisableexception", "threadexception",
        "recwarn", "reports", "legacypath", "skipping")  # fmt: skip


@dataclass(frozen=True)
class Ending:
    """How one check ended for one submission."""

    outcome: Outcome | Literal["machine"]
    message: str = ""


class Judge:
    """Grades submissions of one course at one isolation level with one seed.

    The sandbox starts at once, so that torch loads there while this process loads it too. With `share_verdicts` a file
    that passed is not run again for the next submission that holds the very same, and answers are foreseen.
    """

    def __init__(
        self,
        course: Course,
        level: Level,
        seed: int,
        only: Sequence[str] = (),
        launched: Launched | None = None,
        *,
        share_verdicts: bool = False,
    ) -> None:
        self.course = course
        self.level: Level = level
        self.seed = seed
        chosen = [course.exercise(id) for id in only] or course.exercises
        wanted = {exercise.id for exercise in chosen}
        self.kits = {e.id: Kit(course, e) for e in course.exercises if e.id in wanted}
        self.worths: dict[str, dict[str, Worth]] = {}
        """What the checks of each exercise are worth; known once `grade` was called."""
        self.verdicts = Verdicts() if share_verdicts else None
        self.foresight = Foresight() if share_verdicts else None
        self.sandbox = open_sandbox(level, launched) if level != "none" else None
        self._is_thorough = False

    def grade(
        self,
        submissions: Iterable[Submission],
        take: Callable[[Record], None],
        advance: Callable[[str], None] = lambda exercise: None,
        show: Shown | None = None,
    ) -> None:
        """Grade each submission and hand its record over as soon as it is there; `advance` hears of each exercise.

        `show` gets what there is to see of failed visible checks, before the record that they are in.

        Raises MachineError when this machine cannot isolate, GraderBroken when the checks cannot be collected.
        """
        absent = [kit.exercise.id for kit in self.kits.values() if not kit.checks_path.is_file()]
        if absent:
            kind = "checks" if self.course.is_bundle else "hidden checks"
            raise GraderBroken(f"there are no {kind} for {', '.join(absent)}")
        plugin = _Batch(self, submissions, take, advance, show)
        arguments = ["-c", os.devnull, "--rootdir", str(self.course.root), "--import-mode=importlib"]
        arguments += [f"--timeout={BEHIND_THE_DEADLINES_SECONDS}", "-p", "pytest_timeout"]
        arguments += [part for name in LEAN for part in ("-p", f"no:{name}")]
        arguments += [str(kit.checks_path) for kit in self.kits.values()]
        with _own_environment():
            code = pytest.main(arguments, plugins=[plugin, fixtures, Limit()])
        if plugin.failure is not None:
            raise plugin.failure
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise GraderBroken(f"the hidden checks could not be run: {'; '.join(plugin.problems) or code}")

    def await_ready(self) -> None:
        """Wait until learners' code can be run. Raises MachineError when this machine cannot isolate."""
        if self.sandbox is not None:
            self.sandbox.await_ready()

    def replace_sandbox(self) -> None:
        """Start over with a new zygote. Raises MachineError when there can be none."""
        if self.sandbox is not None:
            self.sandbox.close()
            self.sandbox = open_sandbox(self.level)
            self._is_thorough = False
            self.await_ready()

    def note(self, source: bytes, told: Conversation | None, looked_at_source: bool, result: ExerciseResult) -> None:
        """Remember what spares work with the next submissions, if these are to share it."""
        if self.verdicts is None or self.foresight is None:
            return
        self.verdicts.note(self.seed, source, result)
        if told is None:
            return
        self.foresight.note(self.seed, told, result, looked_at_source=looked_at_source)
        known = self.foresight.of(self.seed, result.id)
        if known is not None and told.seconds > known.first.seconds + LOADING_SECONDS:
            self._load_more()

    def _load_more(self) -> None:
        """A file took as long as if it had loaded much of torch: others will need that too."""
        if self.sandbox is not None and not self._is_thorough:
            self.sandbox.expect_many()
            self._is_thorough = True

    def attempt(self, exercise: Exercise, source: bytes) -> Attempt | LocalAttempt:
        """A go at one exercise, behind the wall unless the level is "none"."""
        if self.sandbox is None:
            return LocalAttempt(exercise, source)
        foreseen = self.foresight.of(self.seed, exercise.id) if self.foresight else None
        return Attempt(exercise, source, self._running_sandbox, foreseen)

    def bring_together(self, attempts: Iterable[Attempt | LocalAttempt]) -> None:
        """Have the files of one submission share a worker, as far as they can."""
        sharing = [(each, part) for each in attempts if isinstance(each, Attempt) and (part := each.part())]
        if len(sharing) < FEWEST_TOGETHER or not isinstance(self.sandbox, Sandbox):
            return
        shares = shared_by([part for _, part in sharing], self.sandbox)
        for (attempt, _), share in zip(sharing, shares, strict=True):
            if share is not None:
                attempt.join(share)

    def _running_sandbox(self) -> AnySandbox:
        assert self.sandbox is not None
        return self.sandbox

    def close(self) -> None:
        """End the sandbox."""
        if self.sandbox is not None:
            self.sandbox.close()


@contextmanager
def _own_environment() -> Iterator[None]:
    """Keep the user's pytest settings and plugins out of a grade."""
    kept = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


class _Batch:
    """A pytest plugin that replaces the loop over tests by a loop over submissions."""

    def __init__(
        self,
        judge: Judge,
        submissions: Iterable[Submission],
        take: Callable[[Record], None],
        advance: Callable[[str], None],
        show: Shown | None,
    ) -> None:
        self._judge = judge
        self._advance = advance
        self._show = show
        self._submissions = submissions
        self._take = take
        self._by_path = {kit.checks_path: kit for kit in judge.kits.values()}
        self._endings: dict[str, Ending] = {}
        self.failure: BaseException | None = None
        self.problems: list[str] = []

    # --- what pytest calls ---------------------------------------------------------------------------------

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "points(value, role, visible): what a check of an exercise is worth")

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
        collected = yield
        kit = self._by_path.get(file_path)
        return [ExerciseFile.of(parent, file_path, kit, self._judge.course)] if kit else collected

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(report.longreprtext.strip().splitlines()[-1][:300])

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if self.problems:
            self.failure = GraderBroken(f"the hidden checks could not be collected: {'; '.join(self.problems)}")
            return True
        groups: dict[str, list[pytest.Item]] = {id: [] for id in self._judge.kits}
        for item in session.items:
            groups[exercise_file(item).kit.exercise.id].append(item)
        self._judge.worths = {id: {item.name: worth_of(item) for item in items} for id, items in groups.items()}
        self.problems = [problem for id, kit in self._judge.kits.items() for problem in _unbalanced(kit, groups[id])]
        if self.problems:
            self.failure = GraderBroken("; ".join(self.problems))
            return True
        if not gc.get_freeze_count():
            # torch's hundred thousand objects stay; looking through them again and again takes time. Only once: what
            # is frozen with them is never given back, and a batch leaves its whole session behind
            gc.freeze()
        gc.enable()  # it rested while all was loaded (sandbox/launch.py)
        try:
            self._judge.await_ready()
            for submission in self._submissions:
                self._take(self._grade(submission, groups))
        except BaseException as error:  # pytest would turn it into a report of its own
            self.failure = error
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        if call.excinfo is not None:
            self._endings[item.name] = ending_of(call.excinfo.value)
        elif call.when == "call":
            self._endings.setdefault(item.name, Ending("passed"))
        when = "call" if call.when == "collect" else call.when
        # a report without a traceback: nobody reads it, and making one takes longer than most checks
        return pytest.TestReport(item.nodeid, item.location, {}, "passed", None, when)

    # --- one submission ------------------------------------------------------------------------------------

    def _grade(self, submission: Submission, groups: Mapping[str, list[pytest.Item]]) -> Record:
        starts = {
            id: self._known(kit, submission) or self._sit(kit, submission) for id, kit in self._judge.kits.items()
        }
        waiting = [start for start in starts.values() if isinstance(start, Sitting)]
        self._judge.bring_together(sitting.attempt for sitting in waiting)
        results = []
        for id, kit in self._judge.kits.items():
            start = starts.pop(id)  # with the answers that it holds
            if isinstance(start, ExerciseResult):
                results.append(start)
            elif isinstance(start, Sitting):
                waiting.remove(start)
                ahead = waiting[0] if waiting else None
                results.append(self._examine(kit, start, ahead, groups[id]))
                attempt = start.attempt
                self._judge.note(attempt.source, attempt.conversation(), start.looked_at_source, results[-1])
                self._show_failures(submission, start, results[-1])
            else:
                results.append(_without_work(kit, start, groups[id]))
            self._advance(id)
        return Record.of(
            submission=submission.name,
            isolation=self._judge.level,
            seed=self._judge.seed,
            course=CourseStamp(title=self._judge.course.title, version=self._judge.course.version),
            exercises=results,
            problems=[Problem(file=p.file, kind=p.kind, message=p.message) for p in submission.problems],
        )

    def _known(self, kit: Kit, submission: Submission) -> ExerciseResult | None:
        source, verdicts = submission.sources.get(kit.exercise.id), self._judge.verdicts
        if source is None or verdicts is None:
            return None
        return verdicts.of(self._judge.seed, kit.exercise.id, source.content)

    def _sit(self, kit: Kit, submission: Submission) -> Sitting | Literal["missing", "not_started"]:
        exercise = kit.exercise
        source = submission.sources.get(exercise.id)
        refusals = [problem.message for problem in submission.problems if problem.exercise == exercise.id]
        if source is None and not refusals:
            return "missing"
        if source is not None and kit.is_untouched(source.content):
            return "not_started"
        attempt = self._judge.attempt(exercise, source.content if source else b"")
        if source is None:
            attempt.refusal = " ".join(refusals)
        return Sitting(attempt, kit.expected, self._judge.seed, kit.stub)

    def _examine(self, kit: Kit, sitting: Sitting, ahead: Sitting | None, items: list[pytest.Item]) -> ExerciseResult:
        """Run the checks of one exercise; when the sandbox breaks, once more with a new one, then say so."""
        started = time.perf_counter()
        try:
            known = self._begin(sitting, ahead)
            endings = {} if known else self._run(sitting, items)
        except MachineError as error:
            known, endings = None, {item.name: Ending("machine", str(error)) for item in items}
        except Apart:
            assert isinstance(sitting.attempt, Attempt)
            sitting.begin_again(sitting.attempt.alone())
            return self._examine(kit, sitting, ahead, items)
        if any(ending.outcome == "machine" for ending in endings.values()):
            for each in (sitting, ahead):
                if each is not None:
                    each.close()  # while their own sandbox is there to be asked for them
            self._judge.replace_sandbox()
            sitting.checked.clear()
            endings = self._run(sitting, items)
        sitting.close()
        seconds = time.perf_counter() - started
        if known is not None:
            return known.model_copy(update={"seconds": seconds})
        return result_of(kit, sitting, items, endings, seconds)

    def _begin(self, sitting: Sitting, ahead: Sitting | None) -> ExerciseResult | None:
        """Start the file, and the next one; the result when all that it says is known. Raises MachineError."""
        sitting.attempt.start()
        if ahead is not None:
            ahead.attempt.start()  # its worker locks down and loads on the other core meanwhile
        return sitting.attempt.hear_ahead()

    def _show_failures(self, submission: Submission, sitting: Sitting, result: ExerciseResult) -> None:
        for check in result.checks:
            if self._show is not None and check.visible and check.outcome == "failed":
                exhibit = _exhibit(sitting, check.name)
                if exhibit is not None:
                    self._show(submission.name, result.id, check.name, exhibit)

    def _run(self, sitting: Sitting, items: list[pytest.Item]) -> dict[str, Ending]:
        self._endings = {}
        for item, following in zip(items, [*items[1:], None], strict=True):
            exercise_file(item).sitting = sitting
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            ending = self._endings.setdefault(item.name, Ending("error", "The grader did not run this check."))
            is_main = worth_of(item).role == "main"
            sitting.note(item.name, passed=ending.outcome == "passed", is_main=is_main)
            exercise_file(item).sitting = None  # pytest holds on to the file, and so to all that was asked and answered
            if sitting.attempt.is_apart:
                raise Apart
        return self._endings


def result_of(
    kit: Kit, sitting: Sitting, items: list[pytest.Item], endings: Mapping[str, Ending], seconds: float
) -> ExerciseResult:
    """What a sitting comes to once all checks have run."""
    if not kit.hidden:  # in a bundle nobody knows whether all else is right
        endings = _with_doubts(endings, sitting.doubts(), {item.name: worth_of(item) for item in items})
    return _result(kit, items, endings, _diagnosis(sitting), seconds)


def _diagnosis(sitting: Sitting) -> list[Diagnosis]:
    """The known mistakes in it. That none can be looked for must cost no submission its marks, nor end the batch."""
    try:
        return [Diagnosis(mistake=mistake.id, message=mistake.message) for mistake in sitting.diagnosis()]
    except Exception as error:
        print(f"No diagnosis of {sitting.attempt.exercise.id}: {type(error).__name__}: {error}", file=sys.stderr)
        return []


def _exhibit(sitting: Sitting, check: str) -> Exhibit | None:
    """What there is to see of a failed check. As little as a diagnosis may it end the batch."""
    try:
        return sitting.exhibit(check)
    except Exception as error:
        print(f"Nothing to see of {sitting.attempt.exercise.id}: {type(error).__name__}: {error}", file=sys.stderr)
        return None


def _with_doubts(
    endings: Mapping[str, Ending], doubts: Mapping[str, str], worths: Mapping[str, Worth]
) -> dict[str, Ending]:
    """Let doubtful outputs fail their checks when the main checks pass: who fails these is told enough already."""
    if not all(endings[name].outcome == "passed" for name, worth in worths.items() if worth.role == "main"):
        return dict(endings)
    return {
        name: Ending("failed", doubts[name]) if name in doubts and ending.outcome == "passed" else ending
        for name, ending in endings.items()
    }


def _unbalanced(kit: Kit, items: list[pytest.Item]) -> list[str]:
    """Say so when the checks of an exercise are not worth what the exercise is."""
    worth = math.fsum([*(worth_of(item).points for item in items), *(check.points for check in kit.hidden)])
    if abs(worth - kit.exercise.points) <= POINTS_TOLERANCE:
        return []
    return [f"{kit.exercise.id}: its checks are worth {worth:g} points, course.yml says {kit.exercise.points:g}"]


def _without_work(kit: Kit, status: Literal["missing", "not_started"], items: list[pytest.Item]) -> ExerciseResult:
    checks = tuple(_check(item.name, worth_of(item), Ending("skipped"), counts=False) for item in items)
    return ExerciseResult(
        id=kit.exercise.id,
        status=status,
        points=0.0,
        max_points=kit.exercise.points,
        checks=(*checks, *_unseen(kit)),
        diagnosis=(),
        seconds=0.0,
    )


def _result(
    kit: Kit,
    items: list[pytest.Item],
    endings: Mapping[str, Ending],
    diagnosis: list[Diagnosis],
    seconds: float,
) -> ExerciseResult:
    worths = {item.name: worth_of(item) for item in items}
    passed = {name for name, ending in endings.items() if ending.outcome == "passed"}
    is_main_passed = all(name in passed for name, worth in worths.items() if worth.role == "main") and not any(
        check.role == "main" for check in kit.hidden
    )
    checks = tuple(
        _check(name, worth, endings[name], counts=is_main_passed or worth.role in ("main", "behaviour"))
        for name, worth in worths.items()
    )
    outcomes = {check.outcome for check in checks}
    status: Status
    if "error" in outcomes:
        status = "error"
    elif checks and all(name in passed for name, worth in worths.items() if worth.role != "repair"):
        status = "passed"
    else:
        status = "failed"
    return ExerciseResult(
        id=kit.exercise.id,
        status=status,
        points=round(math.fsum(check.points for check in checks), 6),
        max_points=kit.exercise.points,
        checks=(*checks, *_unseen(kit)),
        diagnosis=tuple(diagnosis),
        seconds=seconds,
    )


def _unseen(kit: Kit) -> tuple[CheckResult, ...]:
    """In a bundle: the checks that are not here, by name and worth."""
    return tuple(
        CheckResult(
            name=check.name,
            title=check.title,
            outcome="skipped",
            points=0.0,
            max_points=check.points,
            visible=False,
            message=HIDDEN,
        )
        for check in kit.hidden
    )


def _check(name: str, worth: Worth, ending: Ending, *, counts: bool) -> CheckResult:
    is_passed = ending.outcome == "passed"
    return CheckResult(
        name=name,
        title=worth.title,
        outcome="error" if ending.outcome == "machine" else ending.outcome,
        points=worth.points if is_passed and counts else 0.0,
        max_points=worth.points,
        visible=worth.visible,
        message=UNCOUNTED if is_passed and not counts else ending.message,
    )


def _shortened(text: str) -> str:
    """A message can quote what a learner's code sent, however long."""
    return text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + " ..."


def ending_of(error: BaseException) -> Ending:
    """Only CheckFailed is the learner's; everything else that a check raises is the grader's own fault."""
    if isinstance(error, CheckFailed):
        return Ending("failed", _shortened(str(error)))
    if isinstance(error, MachineError):
        return Ending("machine", str(error))
    return Ending("error", f"The grader failed at this check ({type(error).__name__}: {error})")
