"""Write down what visible checks ask with and expect, by trying them with the reference at hand.

Right code is not all that a check may meet: wrong code can be asked something else. So the known mistakes sit the
visible checks too, and what the reference answers to these questions is kept as well. Of the mistakes nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from grader.course import Course, Exercise
from grader.judge.answers import Answers
from grader.judge.case import Question
from grader.judge.collection import Worth
from grader.judge.draw import FRESH, Draw, Kind, chance_for
from grader.judge.grading import Judge
from grader.judge.learner import Meanwhile, nothing
from grader.judge.mistakes import load_bank
from grader.judge.plan import Plan
from grader.judge.process import LocalProcess
from grader.judge.quiet import quietly
from grader.judge.recorded import Numbers, Recorded, key_of_numbers, key_of_shapes
from grader.judge.trusted import Expected
from grader.results import Record
from grader.sandbox.budget import Allowance
from grader.submission import SourceFile, Submission

SEED = 0
BELOW_ONE = 1 - 2**-24
"""The largest float32 below 1."""

GARBLED = b"# answers with other numbers\n"
"""Marks a submission whose answers have the right form and no right number."""

ODD = """

def _odd(call):
    return lambda *given, **named: {odd}


for _name in {entries!r}:
    _found = globals()[_name]
    if hasattr(_found, "forward"):
        _found.forward = _odd(_found.forward)
    elif not isinstance(_found, type):
        globals()[_name] = _odd(_found)
"""
"""Put behind a reference, this makes it answer with something of another kind."""

ODD_ANSWERS = ("None", "(call(*given, **named),) * 2")

Verdicts = list[list[tuple[str, str, str, str]]]
"""Of each submission each check that ran: exercise, check, outcome, message."""


def worths_of(course: Course) -> dict[str, dict[str, Worth]]:
    """What each check of each exercise is worth, by its name. Raises GraderBroken for checks of no use."""
    judge = Judge(course, "none", SEED)
    judge.grade([], lambda record: None)
    return judge.worths


def trials(course: Course) -> list[Submission]:
    """The references, then they with wrong numbers and odd answers, then the known mistakes.

    Raises BankError for an unusable bank.
    """
    references = {each.id: course.solution_path(each).read_bytes() for each in course.exercises}
    sources = [references, {id: GARBLED + source for id, source in references.items()}]
    for odd in ODD_ANSWERS:
        entries = {each.id: each.entry_points for each in course.exercises}
        sources.append(
            {id: source + ODD.format(odd=odd, entries=entries[id]).encode() for id, source in references.items()}
        )
    banks = {each.id: load_bank(course.mistakes_path(each)) for each in course.exercises}
    for number in range(max(map(len, banks.values()))):
        sources.append(
            {
                id: bank[number].source_from(references[id].decode("utf-8")).encode("utf-8")
                for id, bank in banks.items()
                if number < len(bank)
            }
        )
    return [_submission(course, number, each) for number, each in enumerate(sources)]


def _submission(course: Course, number: int, sources: Mapping[str, bytes]) -> Submission:
    files = {id: SourceFile(id, course.exercise(id).file_name, source) for id, source in sources.items()}
    return Submission(f"trial {number}", files, ())


def sit(bundle: Course, submissions: Sequence[Submission], whole: Course | None = None) -> tuple[Verdicts, list[bytes]]:
    """Let submissions sit the visible checks of a bundle; return the verdicts, and what was written down by exercise.

    With the `whole` course its references say what is due, and it is written down; without, the bundle's numbers do.
    Everything runs in this process: all of it is the course's own.
    """
    judge = _Local(bundle, "none", SEED)
    recordings = []
    if whole is not None:
        for each in whole.exercises:
            recording = Recording(Expected(whole.solution_path(each), whole.mistakes_path(each)))
            judge.kits[each.id].expected = recording
            recordings.append(recording)
    verdicts: Verdicts = []
    with quietly():
        judge.grade(submissions, lambda record: verdicts.append(_verdicts_in(record)), show=lambda *shown: None)
    return verdicts, [recording.numbers.to_bytes() for recording in recordings]


def _verdicts_in(record: Record) -> list[tuple[str, str, str, str]]:
    return [
        (result.id, check.name, check.outcome, check.message)
        for result in record.exercises
        for check in result.checks
        if check.outcome != "skipped"
    ]


class _Local(Judge):
    """A judge whose submissions run beside it; those marked so answer with wrong numbers."""

    def process(self, exercise: Exercise, source: bytes, plan: Plan, allowance: Allowance) -> LocalProcess:
        return (_Garbled if source.startswith(GARBLED) else _Beside)(exercise, source)


class _Beside(LocalProcess):
    """Answers as a worker does, which tells errors instead of raising them: then checks ask what they ask there."""

    raises = False


class _Garbled(_Beside):
    """Answers in the right form with other numbers, so that every comparison is gone through to its end."""

    def ask(self, question: Question, meanwhile: Meanwhile = nothing) -> Any:
        return _garbled(super().ask(question))


def _garbled(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value + 1 if value.is_floating_point() else value
    if isinstance(value, dict):
        return {key: _garbled(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_garbled(item) for item in value)
    return value


class Recording(Recorded):
    """Asks the reference and keeps what it says."""

    def __init__(self, expected: Expected) -> None:
        super().__init__(Numbers())
        self._expected = expected

    def draw(self, seed: int, exercise: str, check: str) -> Draw:
        """The inputs of one check, which are kept."""
        return _Drawn(self.numbers, exercise, check, self._expected.reference.namespace)

    def due(self, question: Question) -> list[Answers]:
        """The reference's answers, which are kept."""
        answers = self._expected.due(question)
        self.numbers.due[question.digest.hex()] = [[dict(each.values), each.error] for each in answers]
        return answers

    def slack(self, question: Question) -> list[Answers]:
        """How far rounding alone may move them, which is kept."""
        slack = self._expected.slack(question)
        self.numbers.slack[question.digest.hex()] = [dict(each.values) for each in slack]
        return slack


class _Drawn(Draw):
    """Draws numbers that depend on nothing but what is asked for and how often, and keeps them."""

    def __init__(self, numbers: Numbers, exercise: str, check: str, reference: Mapping[str, Any]) -> None:
        super().__init__(SEED, exercise, check, reference)
        self._kept = numbers
        self._check = (exercise, check)
        self._count: dict[tuple[Kind, tuple[int, ...]], int] = {}

    def _numbers(self, kind: Kind, *sizes: int) -> torch.Tensor:
        exercise, check = self._check
        number = self._count[kind, sizes] = self._count.get((kind, sizes), 0) + 1
        key = key_of_numbers(check, kind, sizes, number)
        fresh = FRESH[kind](chance_for(f"{exercise}/{key}"), *sizes)
        if kind not in ("normal", "uniform"):
            self._kept.drawn[key] = fresh
            return fresh
        # half the size, and as good an example
        short = fresh.float().clamp(max=BELOW_ONE) if kind == "uniform" else fresh.float()
        self._kept.drawn[key] = short
        return short.double()

    def _shapes(self, entry: str, init: Sequence[Any], keywords: Mapping[str, Any]) -> Mapping[str, Sequence[int]]:
        shapes = {name: list(shape) for name, shape in super()._shapes(entry, init, keywords).items()}
        self._kept.shapes[key_of_shapes(entry, init, keywords)] = shapes
        return shapes


def first_refusal(verdicts: Iterable[tuple[str, str, str, str]]) -> str:
    """What is wrong with right code, a sentence, or nothing."""
    for id, check, outcome, message in verdicts:
        if outcome != "passed":
            return f"{id}: the reference does not pass {check}: {message}"
    return ""
