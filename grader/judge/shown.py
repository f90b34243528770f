"""What is shown of a check beyond its message: cases with their answers, and the first wrong numbers.

Of hidden checks only an instructor sees it, who answers an appeal: their inputs must not be written anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

import torch

from grader.mismatch import Mismatch

from .answers import Answers, Exchange, Reading, read_from, same_answers
from .case import GRADIENTS, OUTPUT, Case, Question
from .case_text import case_text, value_text
from .compare import form_difference, wrong_places
from .expected import Expected
from .failure import BREAKPOINT
from .faults import NotInPlan
from .whereabouts import where

if TYPE_CHECKING:
    from grader.course import Course
    from grader.intake import Submission
    from grader.record import CheckResult, ExerciseResult
    from grader.sandbox.levels import Level

    from .grading import Judge
    from .session import Session

UNKNOWN = Answers({})
MOST_CASES = 4
"""Limit for the cases of one check that an instructor is shown: wrong ones come first."""
MOST = 12
"""Limit for the rows, and for the columns, that are shown of a tensor."""
SILENT = b"\n\nimport pdb\nbreakpoint = pdb.set_trace = lambda *_, **__: None\n"
"""At the end of a file this switches its breakpoints off, and moves no line."""


@dataclass(frozen=True)
class AnsweredCase:
    """One case of a check, with actual and expected answers as far as they are known."""

    check: CheckResult
    case: Case
    came: Answers = UNKNOWN
    expected: Answers = UNKNOWN

    @property
    def differs(self) -> bool:
        """Whether the case has no answer, or one that the reference does not give."""
        came, expected = self.came, self.expected
        has_none = came.error is None and not came.values.keys() >= expected.values.keys()
        return has_none or not same_answers(came, expected)

    @property
    def is_wrong(self) -> bool:
        """Whether it differs, and must not: random numbers of right code may be others."""
        return self.differs and (not self.case.is_random or self.came.error is not None or self.came is UNKNOWN)


def _exchanges(session: Session, check: CheckResult) -> Sequence[Exchange | Reading]:
    """What a check asked and was answered; what is planned if no answer came, or all are the reference's."""
    asked, planned = session.asked(check.name), session.planned(check.name)
    if asked or planned is None:
        return asked
    if check.outcome == "passed":
        return planned.exchanges
    return [Exchange(question, [UNKNOWN] * len(question.cases)) for question in planned.asked]


def _answered(exchange: Exchange, check: CheckResult, expected: Expected) -> Iterator[AnsweredCase]:
    try:
        answers = expected.answers_to(exchange.question)
    except NotInPlan:
        answers = [UNKNOWN] * len(exchange.answers)
    for case, came, right in zip(exchange.question.cases, exchange.answers, answers, strict=True):
        yield AnsweredCase(check, case, came, right)


# --- for the learner: the case to look into ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """A look into one exercise: its result, a case of a visible check, whether that stops at a breakpoint."""

    result: ExerciseResult
    fault: AnsweredCase | None
    reaches_breakpoint: bool


def look_into(judge: Judge, submission: Submission) -> Look:
    """Grade a submission of one file with its breakpoints switched off. Raises what Judge.grade raises."""
    found: list[tuple[ExerciseResult, AnsweredCase | None]] = []

    def attend(session: Session, result: ExerciseResult) -> None:
        found.append((result, _case_at_fault(session, result)))

    asked = [submission]
    if any(b"breakpoint(" in each.content or b"set_trace(" in each.content for each in submission.sources.values()):
        silent = {id: replace(each, content=each.content + SILENT) for id, each in submission.sources.items()}
        asked.insert(0, replace(submission, sources=silent))
    judge.grade(asked, lambda record: None, attend=attend)
    (result, fault), (_, as_written) = found[0], found[-1]
    error = as_written.came.error if as_written is not None else None
    return Look(result, fault, error is not None and error.get("type") == BREAKPOINT)


def _case_at_fault(session: Session, result: ExerciseResult) -> AnsweredCase | None:
    """The case to look into; None where no visible check has one.

    A failed check comes first, then one whose outputs are wrong though it asks for something else, then any. Of a check
    it is the first wrong case; without one its last if it failed, and its first if it passed.
    """
    found = []
    for check in result.checks:
        cases = [case for each in _exchanges(session, check) for case in _cases(each, check, session.expected)]
        if check.visible and cases:
            usual = cases[-1 if check.outcome == "failed" else 0]
            found.append(next((each for each in cases if each.is_wrong), usual))
    return min(found, key=lambda fault: (fault.check.outcome != "failed", not fault.is_wrong), default=None)


def _cases(exchange: Exchange | Reading, check: CheckResult, expected: Expected) -> Iterator[AnsweredCase]:
    if isinstance(exchange, Reading):
        return (AnsweredCase(check, case) for case in _first_question(exchange))
    return _answered(exchange, check, expected)


class _FirstAsked(Exception):
    """Ends a talk at its first question."""


def _first_question(reading: Reading) -> list[Case]:
    """What a talk asks first; the answers to it are the learner's own numbers, with which nothing is compared."""
    asked: list[Case] = []

    def ask(*cases: Case) -> NoReturn:
        asked.extend(cases)
        raise _FirstAsked

    with suppress(_FirstAsked):
        reading.talk(ask)
    return asked


# --- for the instructor: everything that a failed check asked ------------------------------------------------------


@dataclass(frozen=True)
class ShownCase:
    """One case of a check, in lines of text."""

    asked: tuple[str, ...]
    expected: tuple[str, ...]
    came: tuple[str, ...]
    is_wrong: bool


@dataclass(frozen=True)
class ShownCheck:
    """What one check asked a learner's code, wrong cases first; `left_out` counts the cases that are not shown."""

    cases: tuple[ShownCase, ...]
    left_out: int = 0


def asked_again(
    course: Course, level: Level, seed: int, submission: Submission, exercise: str
) -> tuple[ExerciseResult, dict[str, ShownCheck]]:
    """Grade a submission's exercise again; returns the result, and the values of the checks that do not pass."""
    from .grading import Judge

    shown: dict[str, ShownCheck] = {}
    results: list[ExerciseResult] = []

    def attend(session: Session, result: ExerciseResult) -> None:
        results.append(result)
        shown.update({each.name: _shown_check(session, each) for each in result.checks if each.outcome == "failed"})

    with closing(Judge(course, level, seed, [exercise])) as judge:
        judge.grade([submission], lambda record: None, attend=attend)
    (again,) = results
    return again, shown


def _shown_check(session: Session, check: CheckResult) -> ShownCheck:
    cases = [case for each in _exchanges(session, check) for case in _shown_cases(each, check, session.expected)]
    cases.sort(key=lambda case: not case.is_wrong)
    return ShownCheck(tuple(cases[:MOST_CASES]), max(len(cases) - MOST_CASES, 0))


def _shown_cases(exchange: Exchange | Reading, check: CheckResult, expected: Expected) -> Iterator[ShownCase]:
    if isinstance(exchange, Reading):
        yield _reading(exchange, expected)
        return
    for each in _answered(exchange, check, expected):
        yield ShownCase(tuple(case_text(each.case)), _lines(each.expected), _lines(each.came), each.differs)


def _reading(reading: Reading, expected: Expected) -> ShownCase:
    """A check that reads plain values from the learner's own outputs: these values, and the calls that gave them."""
    asked: list[str] = []

    def answer(question: Question) -> list[Answers]:
        asked.extend(line for case in question.cases for line in case_text(case))
        return expected.answers_to(question)

    wanted = read_from(reading.talk, answer)
    came, right = _lines(Answers(reading.came)), _lines(Answers(wanted))
    return ShownCase(("# read from numbers that are the learner's own", *asked), right, came, wanted != reading.came)


def _lines(answers: Answers) -> tuple[str, ...]:
    error = answers.error
    if error is not None:
        said = ": ".join(str(error[key]) for key in ("type", "message", "name", "what") if error.get(key))
        return (f"an error ({error['kind']}): {said}" if said else f"an error ({error['kind']})",)
    if answers is UNKNOWN:
        return ("an error (no answer came)",)
    return tuple(f"{name} = {value_text(value)}" for name, value in answers.values.items())


# --- the first wrong numbers of a visible check ----------------------------------------------------------------------


def mismatch_of(exchanges: Sequence[Exchange | Reading], expected: Expected) -> Mismatch | None:
    """The first tensor of the right form with wrong numbers. Only for checks whose numbers may be seen.

    None when there is no such tensor, or when the learner's code raised an error, which is then the thing to look at.
    """
    if any(answers.error is not None for exchange in exchanges for answers in exchange.answers):
        return None
    for exchange in exchanges:
        if isinstance(exchange, Reading):
            continue  # its numbers are the learner's own
        cases = zip(exchange.question.cases, exchange.answers, expected.answers_to(exchange.question), strict=True)
        for case, came, rights in cases:
            if case.is_random:
                continue  # the right output depends on the order in which random numbers are drawn
            for name, right in rights.values.items():
                if name == GRADIENTS:
                    continue
                what = "The output" if name == OUTPUT else f"`{name}`"
                for part, one, other in _tensors(came.values.get(name), right, what):
                    if _is_worth_seeing(one, other):
                        return _mismatch(part, one, other, case.axes)
    return None


def _tensors(came: Any, expected: Any, what: str) -> Iterator[tuple[str, Any, torch.Tensor]]:
    """The expected tensors, each with the value that came in its place."""
    if isinstance(expected, torch.Tensor):
        yield what, came, expected
    elif isinstance(expected, (list, tuple)) and isinstance(came, (list, tuple)) and len(came) == len(expected):
        inner = what[0].lower() + what[1:]
        for number, (one, other) in enumerate(zip(came, expected, strict=True), start=1):
            yield from _tensors(one, other, f"Value {number} of {len(expected)} of {inner}")
    elif isinstance(expected, Mapping) and isinstance(came, Mapping):
        for key, value in expected.items():
            yield from _tensors(came.get(key), value, f"`{key}`")


def _is_worth_seeing(came: Any, expected: torch.Tensor) -> bool:
    """Whether anything is wrong, in more than a single number."""
    return (
        expected.dim() > 0
        and expected.shape[-2:].numel() > 1
        and not expected.is_complex()
        and form_difference(came, expected, what="") is None
        and bool(wrong_places(came, expected).any())
    )


def _mismatch(what: str, came: torch.Tensor, expected: torch.Tensor, axes: Sequence[str]) -> Mismatch:
    names = tuple(axes) if len(axes) == expected.dim() else ()
    wrong = wrong_places(came, expected)
    leading, notes = _first_wrong(wrong), []
    if leading:
        notes.append(_place(leading, wrong, names))
    came, expected, wrong = came[leading], expected[leading], wrong[leading]
    notes.append(_summary(wrong, names[-wrong.dim() :]))
    if wrong.dim() == 1:
        came, expected, wrong = came[None], expected[None], wrong[None]
    rows, columns = (_window(wrong.any(other), size) for other, size in ((1, wrong.shape[0]), (0, wrong.shape[1])))
    if len(rows) < wrong.shape[0] or len(columns) < wrong.shape[1]:
        notes.append(f"Shown are {len(rows)} of {wrong.shape[0]} rows and {len(columns)} of {wrong.shape[1]} columns.")
    window = (slice(rows.start, rows.stop), slice(columns.start, columns.stop))
    return Mismatch(
        what=what,
        axes=names[-2:],
        came=_rows(came[window].double()),
        expected=_rows(expected[window].double()),
        wrong=_rows(wrong[window]),
        note=" ".join(notes),
        start=(rows.start, columns.start),
    )


def _first_wrong(wrong: torch.Tensor) -> tuple[int, ...]:
    """Indices of the first plane with a wrong number, along all axes but the last two."""
    if wrong.dim() <= 2:
        return ()
    return tuple(wrong.flatten(-2).any(-1).nonzero()[0].tolist())


def _place(leading: Sequence[int], wrong: torch.Tensor, names: Sequence[str]) -> str:
    labels = names or [f"axis {axis}, index" for axis in range(len(leading))]
    place = ", ".join(f"{label} {number}" for label, number in zip(labels, leading, strict=False))
    planes = wrong.flatten(-2).any(-1)
    first = f", the first of {int(planes.sum())} wrong parts of {planes.numel()}" if planes.numel() > 1 else ""
    return f"Shown is {place} (counted from 0){first}."


def _summary(wrong: torch.Tensor, names: Sequence[str]) -> str:
    pattern = where(wrong, names)
    if bool(wrong.all()):
        return "Both numbers are off." if wrong.numel() == 2 else f"All {wrong.numel()} numbers are off."
    count = int(wrong.sum())
    off = f"{count} of {wrong.numel()} numbers {'is' if count == 1 else 'are'} off"
    return f"{off}, {pattern}; the others are right." if pattern else f"{off}; the others are right."


def _window(flags: torch.Tensor, size: int) -> range:
    """Up to MOST neighbours, among them the first wrong one."""
    first = int(flags.nonzero()[0])
    start = 0 if first < MOST else min(first, size - MOST)
    return range(start, min(start + MOST, size))


def _rows(plane: torch.Tensor) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row) for row in plane.tolist())
