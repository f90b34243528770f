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
from .compare import form_difference, one_of, wrong_places
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


def _asked(session: Session, check: CheckResult) -> Iterator[list[AnsweredCase] | Reading]:
    """What a check asked and was answered; what is planned if no answer came, or all are the reference's."""
    exchanges, planned = session.asked(check.name), session.planned(check.name)
    if not exchanges:
        exchanges = planned.exchanges
        if check.outcome != "passed":
            exchanges = [replace(each, answers=[UNKNOWN] * len(each.answers)) for each in planned.exchanges]
    for each in exchanges:
        if isinstance(each, Reading):
            yield each
            continue
        try:
            right = session.expected.answers_to(each.question)
        except NotInPlan:
            right = [UNKNOWN] * len(each.answers)
        yield [AnsweredCase(check, *parts) for parts in zip(each.question.cases, each.answers, right, strict=True)]


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
    for check in (each for each in result.checks if each.visible):
        cases = list[AnsweredCase]()
        for asked in _asked(session, check):
            cases += _first_cases(asked, check) if isinstance(asked, Reading) else asked
        if cases:
            usual = cases[-1 if check.outcome == "failed" else 0]
            found.append(next((each for each in cases if each.is_wrong), usual))
    return min(found, key=lambda fault: (fault.check.outcome != "failed", not fault.is_wrong), default=None)


class _FirstAsked(Exception):
    """Ends a talk at its first question."""


def _first_cases(reading: Reading, check: CheckResult) -> list[AnsweredCase]:
    """What a talk asks first; the answers to it are the learner's own numbers, with which nothing is compared."""
    asked: list[Case] = []

    def ask(*cases: Case) -> NoReturn:
        asked.extend(cases)
        raise _FirstAsked

    with suppress(_FirstAsked):
        reading.talk(ask)
    return [AnsweredCase(check, case) for case in asked]


# --- for the instructor: everything that a failed check asked ------------------------------------------------------


@dataclass(frozen=True)
class ShownCase:
    """One case of a check, in lines of text."""

    asked: Sequence[str]
    expected: Sequence[str]
    came: Sequence[str]
    is_wrong: bool


def asked_again(
    course: Course, level: Level, seed: int, submission: Submission, exercise: str
) -> tuple[ExerciseResult, dict[str, list[ShownCase]]]:
    """Grade a submission's exercise again; returns the result, and the cases of failed checks, wrong ones first."""
    from .grading import Judge

    shown: dict[str, list[ShownCase]] = {}
    results: list[ExerciseResult] = []

    def attend(session: Session, result: ExerciseResult) -> None:
        results.append(result)
        for check in result.checks:
            if check.outcome == "failed":
                shown[check.name] = sorted(_shown(session, check), key=lambda case: not case.is_wrong)

    with closing(Judge(course, level, seed, [exercise])) as judge:
        judge.grade([submission], lambda record: None, attend=attend)
    (again,) = results
    return again, shown


def _shown(session: Session, check: CheckResult) -> Iterator[ShownCase]:
    for asked in _asked(session, check):
        if isinstance(asked, Reading):
            yield _reading(asked, session.expected)
            continue
        for each in asked:
            yield ShownCase(list(case_text(each.case)), _lines(each.expected), _lines(each.came), each.differs)


def _reading(reading: Reading, expected: Expected) -> ShownCase:
    """A check that reads plain values from the learner's own outputs: these values, and the calls that gave them."""
    asked = ["# read from numbers that are the learner's own"]

    def answer(question: Question) -> list[Answers]:
        asked.extend(line for case in question.cases for line in case_text(case))
        return expected.answers_to(question)

    right = read_from(reading.talk, answer)
    return ShownCase(asked, _lines(Answers(right)), _lines(Answers(reading.came)), right != reading.came)


def _lines(answers: Answers) -> list[str]:
    error = answers.error
    if error is not None:
        said = ": ".join(str(error[key]) for key in ("type", "message", "name", "what") if error.get(key))
        return [f"an error ({error['kind']}): {said}" if said else f"an error ({error['kind']})"]
    if answers is UNKNOWN:
        return ["an error (no answer came)"]
    return [f"{name} = {value_text(value)}" for name, value in answers.values.items()]


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
                what = "The output" if name == OUTPUT else f"`{name}`"
                for part, one, other in _tensors(came.values.get(name), right, what) if name != GRADIENTS else ():
                    if _is_worth_seeing(one, other):
                        return _mismatch(part, one, other, case.axes)
    return None


def _tensors(came: Any, expected: Any, what: str) -> Iterator[tuple[str, Any, torch.Tensor]]:
    """The expected tensors, each with the value that came in its place."""
    if isinstance(expected, torch.Tensor):
        yield what, came, expected
    elif isinstance(expected, (list, tuple)) and isinstance(came, (list, tuple)) and len(came) == len(expected):
        for number, (one, other) in enumerate(zip(came, expected, strict=True)):
            yield from _tensors(one, other, one_of(number, len(expected), what))
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
    """The first plane (the last two axes) with a wrong number, cut where that number is."""
    names = tuple(axes) if len(axes) == expected.dim() else ()
    wrong, notes = wrong_places(came, expected), []
    if wrong.dim() > 2:
        planes = wrong.flatten(-2).any(-1)
        first = tuple(planes.nonzero()[0].tolist())
        labels = names or [f"axis {axis}, index" for axis in range(len(first))]
        place = ", ".join(f"{label} {number}" for label, number in zip(labels, first, strict=False))
        rest = f", the first of {int(planes.sum())} wrong parts of {planes.numel()}" if planes.numel() > 1 else ""
        notes.append(f"Shown is {place} (counted from 0){rest}.")
        came, expected, wrong = came[first], expected[first], wrong[first]
    notes.append(_summary(wrong, names[-wrong.dim() :]))
    came, expected, wrong = (each.reshape(-1, each.shape[-1]) for each in (came, expected, wrong))
    rows, columns = _window(wrong.any(1)), _window(wrong.any(0))
    if len(rows) < wrong.shape[0] or len(columns) < wrong.shape[1]:
        notes.append(f"Shown are {len(rows)} of {wrong.shape[0]} rows and {len(columns)} of {wrong.shape[1]} columns.")

    def shown(plane: torch.Tensor) -> tuple[tuple[Any, ...], ...]:
        return tuple(map(tuple, plane[rows.start : rows.stop, columns.start : columns.stop].tolist()))

    numbers = shown(came.double()), shown(expected.double()), shown(wrong)
    return Mismatch(what, names[-2:], *numbers, " ".join(notes), (rows.start, columns.start))


def _summary(wrong: torch.Tensor, names: Sequence[str]) -> str:
    if bool(wrong.all()):
        return "Both numbers are off." if wrong.numel() == 2 else f"All {wrong.numel()} numbers are off."
    count, pattern = int(wrong.sum()), where(wrong, names)
    off = f"{count} of {wrong.numel()} numbers {'is' if count == 1 else 'are'} off"
    return f"{off}, {pattern}; the others are right." if pattern else f"{off}; the others are right."


def _window(flags: torch.Tensor) -> range:
    """Up to MOST neighbours, among them the first flagged one."""
    size, first = len(flags), int(flags.nonzero()[0])
    start = 0 if first < MOST else min(first, size - MOST)
    return range(start, min(start + MOST, size))
