"""Where `pytest --pdb` opens at a failed check: in the learner's lines or at the check's values, not in the grader."""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import pytest

from grader.judge.at_fault import CaseAtFault, case_at_fault
from grader.judge.compare import in_words
from grader.judge.errors import CheckFailed
from grader.judge.session import Session
from grader.judge.trusted import quietly

PLACE = "<what the check asked>"
"""The file name that the debugger shows where no line of the learner's failed."""


def for_debugger(error: CheckFailed, session: Session, check: str, file: str) -> pytest.ExceptionInfo[CheckFailed]:
    """The failure, raised in the learner's lines; if in none, at a frame that has the check's values."""
    own = _from_own_frame(error.__traceback__, file)
    if own is None:
        with quietly():
            fault = case_at_fault(session.asked(check), session.expected)
        own = _beside_numbers(str(error), fault)
    return pytest.ExceptionInfo.from_exception(error.with_traceback(own))


def _from_own_frame(trace: TracebackType | None, file: str) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename != file:
        trace = trace.tb_next
    return trace


def _beside_numbers(message: str, fault: CaseAtFault | None) -> TracebackType:
    """A traceback of a few lines that stand for the check; its frame has the check's values as variables."""
    values: dict[str, Any] = dict(fault.values()) if fault else {}
    source = _lines_of(message, fault, values)
    linecache.cache[PLACE] = (len(source), None, source.splitlines(keepends=True), PLACE)
    try:
        exec(compile(source, PLACE, "exec", dont_inherit=True), {**values, "message": message})
    except AssertionError as raised:
        assert raised.__traceback__ is not None and raised.__traceback__.tb_next is not None
        return raised.__traceback__.tb_next
    raise RuntimeError("what stands for a check must fail")


def _lines_of(message: str, fault: CaseAtFault | None, values: Mapping[str, Any]) -> str:
    calls = [f"# {line}" for call in (fault.calls() if fault else ()) for line in call.splitlines()]
    width = max(map(len, values), default=0)
    shown = [f"{name:{width}}  # {in_words(value)}" for name, value in values.items()]
    return "\n".join([*calls, *shown, "raise AssertionError(message)", ""])
