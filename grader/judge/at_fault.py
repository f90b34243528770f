"""Finds the case to look into: of the first visible check that fails, the first case that is wrong.

Cases of hidden checks are never found: their inputs must not be written anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from .answers import Answers, Exchange, Reading, same_answers
from .case import Case, Question
from .expected import Expected
from .failure import BREAKPOINT
from .faults import NotInPlan

if TYPE_CHECKING:
    from grader.intake import Submission
    from grader.record import CheckResult, ExerciseResult

    from .grading import Judge
    from .session import Session

UNKNOWN = Answers({})
SILENT = b"\n\nimport pdb\nbreakpoint = pdb.set_trace = lambda *_, **__: None\n"
"""At the end of a file this switches its breakpoints off, and moves no line."""


@dataclass(frozen=True)
class CaseAtFault:
    """One case of a visible check, with actual and expected answers as far as they are known."""

    check: CheckResult
    case: Case
    came: Answers = UNKNOWN
    expected: Answers = UNKNOWN

    @property
    def is_wrong(self) -> bool:
        """Whether the case has no answer, or one that the reference does not give."""
        came, expected = self.came, self.expected
        if came.error is None and not came.values.keys() >= expected.values.keys():
            return True
        return came.error is not None if self.case.is_random else not same_answers(came, expected)


@dataclass(frozen=True)
class Look:
    """A look into one exercise: its result, a case of a visible check, whether that stops at a breakpoint."""

    result: ExerciseResult
    fault: CaseAtFault | None
    reaches_breakpoint: bool


def look_into(judge: Judge, submission: Submission) -> Look:
    """Grade a submission of one file with its breakpoints switched off. Raises what Judge.grade raises."""
    found: list[tuple[ExerciseResult, CaseAtFault | None]] = []

    def attend(session: Session, result: ExerciseResult) -> None:
        found.append((result, case_at_fault(session, result)))

    asked = [submission]
    if any(b"breakpoint(" in each.content or b"set_trace(" in each.content for each in submission.sources.values()):
        silent = {id: replace(each, content=each.content + SILENT) for id, each in submission.sources.items()}
        asked.insert(0, replace(submission, sources=silent))
    judge.grade(asked, lambda record: None, attend=attend)
    (result, fault), (_, as_written) = found[0], found[-1]
    error = as_written.came.error if as_written is not None else None
    return Look(result, fault, error is not None and error.get("type") == BREAKPOINT)


def case_at_fault(session: Session, result: ExerciseResult) -> CaseAtFault | None:
    """The case to look into; None where no visible check has one.

    A failed check comes first, then one whose outputs are wrong though it asks for something else, then any.
    """
    visible = [check for check in result.checks if check.visible]
    found = [fault for check in visible if (fault := _of_check(session, check)) is not None]
    return min(found, key=lambda fault: (fault.check.outcome != "failed", not fault.is_wrong), default=None)


def _of_check(session: Session, check: CheckResult) -> CaseAtFault | None:
    """The check's first wrong case; its last one if it failed without one; its first one if it passed."""
    cases = list(_cases(session, check))
    wrong = next((each for each in cases if each.is_wrong), None)
    return wrong or (cases[-1 if check.outcome == "failed" else 0] if cases else None)


def _cases(session: Session, check: CheckResult) -> Iterator[CaseAtFault]:
    planned = session.planned(check.name)
    exchanges = list(session.asked(check.name))
    if not exchanges and planned is not None:  # no answer came, or all are the reference's, to the last bit
        exchanges = list(planned.exchanges)
        if check.outcome != "passed":
            exchanges = [Exchange(question, [UNKNOWN] * len(question.cases)) for question in planned.asked]
    for exchange in exchanges:
        if isinstance(exchange, Reading):
            yield from (CaseAtFault(check, case) for case in _first_question(exchange))
            continue
        expected = _expected(session.expected, exchange.question)
        for case, came, right in zip(exchange.question.cases, exchange.answers, expected, strict=True):
            yield CaseAtFault(check, case, came, right)


def _expected(expected: Expected, question: Question) -> list[Answers]:
    try:
        return expected.answers_to(question)
    except NotInPlan:
        return [UNKNOWN] * len(question.cases)


class _Asked(Exception):
    """Ends a talk at its first question."""


def _first_question(reading: Reading) -> list[Case]:
    """What a talk asks first; the answers to it are the learner's own numbers, with which nothing is compared."""
    asked: list[Case] = []

    def ask(*cases: Case) -> NoReturn:
        asked.extend(cases)
        raise _Asked

    with suppress(_Asked):
        reading.talk(ask)
    return asked
