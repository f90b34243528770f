"""`kata check --debug`: runs the first failing check again in Python's debugger, in this process.

First all checks run without output and breakpoints. Then the case that failed runs again with the same inputs: the
learner's prints are shown, and the debugger opens at the learner's breakpoints, at the error, or at the first line.
"""

from __future__ import annotations

import ast
from bdb import BdbQuit
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.course import Course, Exercise
from grader.judge.at_fault import EXPECTED, YOURS, CaseAtFault, case_at_fault
from grader.judge.case import Case, Question
from grader.judge.checks import Check, Kit, collect_checks
from grader.judge.compare import in_words
from grader.judge.errors import CheckFailed, GraderBroken
from grader.judge.expected import NotInPlan
from grader.judge.grading import ending_of
from grader.judge.learner import Meanwhile, nothing
from grader.judge.process import LocalProcess, up_to_own_frame
from grader.judge.session import Session
from grader.judge.trusted import quietly

from .debugger import Debugger, no_breakpoints

KEYS = "`n` runs the next line, `p x` shows x, `c` goes on, `q` ends; `h` lists all that Python's debugger can do."
KEYS_AFTER = "`p x` shows x, `u` and `d` go to who called and back, `q` ends."


class _ProcessWithLastQuestion(LocalProcess):
    """The learner's file in this process; keeps the last question."""

    last: Question | None = None

    def ask(self, question: Question, meanwhile: Meanwhile = nothing) -> Any:
        """Answer in this process, and keep the question."""
        self.last = question
        return super().ask(question, meanwhile)


@dataclass(frozen=True)
class _Failure:
    """The first check that failed."""

    check: Check
    sentence: str
    trace: TracebackType | None
    """The traceback in the learner's own lines, where an error ended the check."""


class Debugging:
    """Debugs one exercise of a learner. Raises GraderBroken."""

    def __init__(self, course: Course, exercise: Exercise, path: Path, seed: int, say: Callable[[str], None]) -> None:
        kit = Kit(course, exercise)
        self._checks = collect_checks(course, [kit])[exercise.id]
        self._file = str(path.resolve())
        self._process = _ProcessWithLastQuestion(exercise, path.read_bytes(), self._file)
        self._session = Session(lambda: self._process, kit.expected(seed), seed, kit.stub)
        self._seed, self._say = seed, say
        self._debugger = Debugger(self._file)

    def run(self) -> bool:
        """Find a failing check and open the debugger in it. Return whether all checks in this course folder passed."""
        failure = self._first_failure()
        with suppress(BdbQuit):
            if failure is None:
                self._show_passed()
            else:
                self._show(failure)
        return failure is None

    # --- in silence -------------------------------------------------------------------------------------------

    def _first_failure(self) -> _Failure | None:
        with quietly(), no_breakpoints():
            for check in self._checks:
                try:
                    if failure := self._failure_of(check):
                        return failure
                except NotInPlan:
                    continue
                except KeyboardInterrupt as stopped:  # do not run it again: it would hang again
                    self._process.last = None
                    return _Failure(check, "Stopped by you.", self._own(stopped))
        for name, doubt in self._session.doubts().items():
            return _Failure(next(check for check in self._checks if check.name == name), doubt, None)
        return None

    def _failure_of(self, check: Check) -> _Failure | None:
        draw = self._session.draw(check.name)
        self._process.last = None
        try:
            check.run(self._session.learner(check.name, draw, is_visible=check.worth.visible), draw)
        except CheckFailed as error:
            return _Failure(check, str(error), self._own(error))
        except (NotInPlan, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise GraderBroken(ending_of(error, check.file).message) from error
        return None

    def _own(self, error: BaseException) -> TracebackType | None:
        """The traceback from the learner's first frame on; None if the error was raised in none of them."""
        trace = up_to_own_frame(error.__traceback__, self._file)
        while trace is not None and trace.tb_frame.f_code.co_filename != self._file:
            trace = trace.tb_next
        return trace

    # --- before the learner's eyes ----------------------------------------------------------------------------

    def _show(self, failure: _Failure) -> None:
        self._say(f"{failure.check.worth.title}\n{failure.sentence}")
        fault = self._fault(failure)
        if fault is None:
            if failure.trace is not None:  # raised while the file was loaded
                self._open_at(failure.trace)
            else:
                self._say("This check runs none of your lines: there is nothing to step through.")
            return
        self._say("\n".join(["", f"It asked (seed {self._seed}):", *_told(fault)]))
        if failure.trace is not None:
            self._open_at(self._raised_again(fault.case) or failure.trace)
            return
        self._offer(fault)
        self._step(fault.case)

    def _fault(self, failure: _Failure) -> CaseAtFault | None:
        """The case to debug."""
        session = self._session
        question = self._process.last
        if failure.trace is None:
            with quietly(), no_breakpoints():
                found = case_at_fault(session.asked(failure.check.name), session.expected)
            return found or (CaseAtFault(question.cases[0]) if question else None)
        if question is None or not self._process.names:
            return None
        with quietly(), no_breakpoints():
            return next((CaseAtFault(case) for case in question.cases if self._trace_of(case)), None)

    def _trace_of(self, case: Case) -> TracebackType | None:
        """Run a case; return the traceback if it raises in the learner's lines."""
        try:
            self._process.ask(Question.of([case]))
        except CheckFailed as error:
            return self._own(error)
        return None

    def _raised_again(self, case: Case) -> TracebackType | None:
        with self._debugger.at_breakpoints():
            return self._trace_of(case)

    def _open_at(self, trace: TracebackType) -> None:
        self._say(f"Here is where it was raised. {KEYS_AFTER}")
        self._debugger.look_back(trace)

    def _step(self, case: Case) -> None:
        """Run a case up to the learner's breakpoints; if none is reached, stop at the first line."""

        def run() -> None:
            self._trace_of(case)

        if stops_of_their_own(self._process.text):
            self._say(f"Your own breakpoint is where it stops. {KEYS}")
            with self._debugger.at_breakpoints():
                run()
            if self._debugger.has_stopped:
                return
            self._say("Your breakpoint was not reached, so it begins at your first line.")
        else:
            self._say(f"Here is your first line. {KEYS}")
        for from_constructor in (False, True):
            with self._debugger.at_breakpoints():
                self._debugger.step_through(run, from_constructor=from_constructor)
            if self._debugger.has_stopped:
                return
        self._say("None of your lines was reached.")

    def _offer(self, fault: CaseAtFault) -> None:
        """Give the debugger the actual and expected values, under names that the learner's file does not use."""
        results, names = fault.results(), self._process.names
        assert isinstance(names, dict)
        free = {name: value for name, value in results.items() if name not in self._process.text}
        names.update(free)
        if EXPECTED in free and YOURS in free:
            self._say(f"`{EXPECTED}` is what should come out of it, `{YOURS}` is what came out.")

    def _show_passed(self) -> None:
        has_stops = stops_of_their_own(self._process.text)
        self._say("Every check holds." + (" Here is the first one again." if has_stops else ""))
        if not has_stops:
            self._say("Write `breakpoint()` above a line of yours to stop there, or print what you want to see.")
        check = self._checks[0]
        draw = self._session.draw(check.name)
        with self._debugger.at_breakpoints(), suppress(CheckFailed, NotInPlan):
            check.run(self._session.learner(check.name, draw, is_visible=check.worth.visible), draw)


def stops_of_their_own(source: str) -> bool:
    """Whether a file calls `breakpoint()` or `set_trace()`."""
    try:
        calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(
        (isinstance(called, ast.Name) and called.id in ("breakpoint", "set_trace"))
        or (isinstance(called, ast.Attribute) and called.attr == "set_trace")
        for called in calls
    )


def _told(fault: CaseAtFault) -> list[str]:
    """The calls, and name, type and shape of their inputs and outputs."""
    named = {name: in_words(value) for name, value in fault.values().items()}
    width = max(map(len, named), default=0)
    return [
        *(f"    {line}" for line in fault.calls()),
        *(f"    {name:{width}}  {form}" for name, form in named.items()),
    ]
