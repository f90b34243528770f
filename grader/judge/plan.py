"""The plan: what an exercise's checks ask with one seed, computed once with the reference, before grading.

With one seed every learner is asked the same. So each check is rehearsed with the reference's own answers, and what it
drew, what it asked, and the exact bytes of right answers are kept. A learner's process can then be sent all questions
while the judge does something else, and running a check for a learner draws and packs nothing again. A check whose
questions depend on the answers may still ask others: these are sent when they come up. Nothing here comes from a
learner's process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from grader.sandbox.inside import wire

from .answers import Answers, Reading, Talk
from .case import Case, Question, Questions
from .draw import Draw, Kind
from .faults import CheckFailed
from .learner import Exchange, LearnerModule
from .points import CHECK_ERRORS

if TYPE_CHECKING:
    from .checks import Check
    from .expected import KnowsAnswers

Sizes = tuple[int, ...]


class _NotRehearsed(Exception):
    """The question is too expensive to ask the reference ahead of time."""


@dataclass
class PlannedCheck:
    """One check as it ran with the reference's answers.

    `asked` are the questions to the learner, in order; `packed` also has those that only the reference is asked.
    `right` holds, for each question asked, the bytes of a reply with exactly the reference's answers; None if the check
    did not pass with them, or looks at more than answers.
    """

    name: str
    is_visible: bool
    drawn: list[tuple[Kind, Sizes, torch.Tensor]] = field(default_factory=list)
    shapes: dict[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    packed: list[_Packed] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    right: list[tuple[bytes, bytes]] | None = None
    exchanges: list[Exchange | Reading] = field(default_factory=list)
    is_rehearsed: bool = True
    """False for a check that trains a model, or reads from the learner's own numbers: these are not rehearsed."""

    def questions(self) -> Questions:
        """Packs the check's questions for one learner, or finds them already packed."""
        return _PlannedQuestions(self.packed)

    def draw(self, fresh: Callable[[], Draw]) -> Draw:
        """The check's hidden inputs again; `fresh` draws them from the beginning."""
        return DrawnBefore(self, fresh)


@dataclass(frozen=True)
class Plan:
    """The checks of one exercise with one seed."""

    checks: Mapping[str, PlannedCheck] = field(default_factory=dict)

    def questions(self) -> list[Question]:
        """All questions, visible checks first: their error messages may show numbers, and must not know hidden ones."""
        checks = sorted(self.checks.values(), key=lambda check: not check.is_visible)
        return [question for check in checks for question in check.asked]


def rehearse(checks: Sequence[Check], expected: KnowsAnswers, exercise: str, seed: int, given: str) -> Plan:
    """Make the plan of an exercise. `given` is the file that learners get."""
    return Plan({check.name: _rehearsed(check, expected, exercise, seed, given) for check in checks})


def _rehearsed(check: Check, expected: KnowsAnswers, exercise: str, seed: int, given: str) -> PlannedCheck:
    planned = PlannedCheck(check.name, check.worth.visible)
    draw = _Drawing(expected.draw(seed, exercise, check.name), planned)
    learner = _Rehearsing(planned, expected, draw, given)
    passed = False
    try:
        check.run(learner, draw)
        passed = bool(learner.exchanges) and not learner.looked_at_source and not learner.doubts
    except _NotRehearsed:
        planned.is_rehearsed = False
    except CHECK_ERRORS:
        # the reference fails its own check: that is reported when the check runs for a learner
        passed = False
    planned.exchanges = learner.exchanges
    planned.right = [_reply(each) for each in learner.exchanges if isinstance(each, Exchange)] if passed else None
    return planned


def _reply(exchange: Exchange) -> tuple[bytes, bytes]:
    """The reply with these answers, packed as a worker packs it."""
    cases = zip(exchange.question.cases, exchange.answers, strict=True)
    reply = [
        {"answers": {str(number): answers.values[name] for number, name in case.returned.items()}, "error": None}
        for case, answers in cases
    ]
    frame = wire.pack(reply, wire.TRUSTED_BYTES)
    header, _ = wire.check_prefix(frame[: wire.PREFIX.size], wire.TRUSTED_BYTES)
    start = wire.PREFIX.size
    return frame[start : start + header], frame[start + header :]


class _Rehearsing(LearnerModule):
    """Answers with the reference's answers."""

    def __init__(self, planned: PlannedCheck, expected: KnowsAnswers, draw: Draw, given: str) -> None:
        super().__init__(_NoProcess(), expected, draw, source=given, given=given, questions=_Packing(planned))
        self._planned = planned

    def ask_all(self, *cases: Case, against_reference: bool = False) -> list[Answers]:
        if any(step["do"] == "train" for case in cases for step in case.steps):
            raise _NotRehearsed
        question = self.questions.of(cases)
        answers = self.expected.answers_to(question)
        if any(each.error is not None for each in answers):
            raise CheckFailed("the reference ends with an error")
        self._planned.asked.append(question)
        self.exchanges.append(Exchange(question, answers))
        return answers

    def read(
        self, talk: Talk, *, describe: Callable[[Mapping[str, Any]], str] | None = None, diagnosed: bool = True
    ) -> Mapping[str, Any]:
        raise _NotRehearsed


class _NoProcess:
    """Stands in for the learner's process, which a rehearsal never asks."""

    def ask(self, question: Question, meanwhile: object = None) -> Any:
        raise AssertionError("a rehearsal asks the reference alone")


# --- questions --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Packed:
    """A question, and a copy of its cases, since a check may go on changing them."""

    question: Question
    made_from: tuple[tuple[Any, ...], ...]

    def fits(self, cases: Sequence[Case]) -> bool:
        """Whether it asks exactly what these cases ask."""
        return len(cases) == len(self.made_from) and all(
            map(_is_same, (_made_from(case) for case in cases), self.made_from)
        )


def _made_from(case: Case) -> tuple[Any, ...]:
    return case.seed, [dict(step) for step in case.steps], dict(case.returned)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two descriptions of a case are identical, to the last bit of each tensor."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is torch.Tensor:
        return bool(one.dtype == other.dtype and one.shape == other.shape and _same_bits(one, other))
    if kind is dict:
        if one.keys() != other.keys():
            return False
        for key, value in one.items():  # a loop, for speed: every question passes through here many times
            match = other[key]
            if value is not match and not _is_same(value, match):
                return False
        return True
    if kind is list or kind is tuple:
        return len(one) == len(other) and all(map(_is_same, one, other))
    if kind is float:
        return bool(one == other or (one != one and other != other))
    return bool(one == other)


def _same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    if torch.equal(one, other):
        return True
    # torch.equal never takes two NaNs for equal
    return bool(
        one.is_floating_point()
        and torch.equal(one.nan_to_num(), other.nan_to_num())
        and torch.equal(one.isnan(), other.isnan())
    )


class _Packing:
    """Packs questions and stores them."""

    def __init__(self, planned: PlannedCheck) -> None:
        self._planned = planned

    def of(self, cases: Sequence[Case]) -> Question:
        question = Question.of(cases)
        self._planned.packed.append(_Packed(question, tuple(map(_made_from, cases))))
        return question


class _PlannedQuestions:
    """Finds packed questions, while they come in the order and with the numbers of the rehearsal."""

    def __init__(self, packed: Sequence[_Packed]) -> None:
        self._packed = packed
        self._next = 0

    def of(self, cases: Sequence[Case]) -> Question:
        if self._next < len(self._packed):
            coming = self._packed[self._next]
            self._next += 1
            if coming.fits(cases):
                return Question(tuple(cases), coming.question.frame, coming.question.digest)
        return Question.of(cases)


# --- hidden inputs ----------------------------------------------------------------------------------------------


def key_of_shapes(entry: str, init: Sequence[Any], keywords: Mapping[str, Any]) -> str:
    """The key for the parameter shapes of a class made with these arguments."""
    return repr((entry, tuple(init), sorted(keywords.items())))


class _Drawing(Draw):
    """Draws and records what was drawn."""

    def __init__(self, source: Draw, planned: PlannedCheck) -> None:
        self._source = source
        self._planned = planned

    def common(self) -> Draw:
        return self._source.common()

    def _numbers(self, kind: Kind, *sizes: int) -> torch.Tensor:
        numbers = self._source._numbers(kind, *sizes)
        self._planned.drawn.append((kind, sizes, numbers.clone()))
        return numbers

    def _shapes(self, entry: str, init: Sequence[Any], keywords: Mapping[str, Any]) -> Mapping[str, Sequence[int]]:
        shapes = self._planned.shapes[key_of_shapes(entry, init, keywords)] = self._source._shapes(
            entry, init, keywords
        )
        return shapes


class DrawnBefore(Draw):
    """Replays what was drawn in the rehearsal; from where a check draws something else, numbers are drawn afresh."""

    def __init__(self, planned: PlannedCheck, fresh: Callable[[], Draw]) -> None:
        self._planned = planned
        self._fresh = fresh
        self._source: Draw | None = None
        self._next = 0

    def common(self) -> Draw:
        return self._fresh().common()

    def _numbers(self, kind: Kind, *sizes: int) -> torch.Tensor:
        if self._source is None and self._next < len(self._planned.drawn):
            kept_kind, kept_sizes, numbers = self._planned.drawn[self._next]
            if (kept_kind, kept_sizes) == (kind, sizes):
                self._next += 1
                return numbers.clone()
        return self._beyond()._numbers(kind, *sizes)

    def _shapes(self, entry: str, init: Sequence[Any], keywords: Mapping[str, Any]) -> Mapping[str, Sequence[int]]:
        known = self._planned.shapes.get(key_of_shapes(entry, init, keywords))
        return known if known is not None else self._beyond()._shapes(entry, init, keywords)

    def _beyond(self) -> Draw:
        """A fresh draw, advanced by what has been replayed."""
        if self._source is None:
            self._source = self._fresh()
            for kind, sizes, _ in self._planned.drawn[: self._next]:
                self._source._numbers(kind, *sizes)
        return self._source
