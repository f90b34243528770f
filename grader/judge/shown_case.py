"""Text about a check's questions, with expected and actual answers: for answering an appeal, never for learners.

A case is shown as the Python code that it stands for. Numbers are written with full precision; of a large tensor only
the beginning and the size are shown.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from grader.sandbox.inside.wire import Opaque, Slot

from .answers import Answers, Exchange, Reading, read_from
from .case import Case, Question
from .compare import difference, dtype_name, in_words, shape_text
from .expected import Expected
from .faults import NotInPlan

if TYPE_CHECKING:
    from grader.course import Course
    from grader.intake import Submission
    from grader.record import ExerciseResult, Record
    from grader.sandbox.levels import Level

    from .session import Session

MOST_NUMBERS = 256
"""Limit for the numbers of one tensor."""
MOST_CASES = 4
"""Limit for the cases of one check: wrong ones come first."""
SHORT = 96
"""A tensor of at most this many characters is written on one line."""


@dataclass(frozen=True)
class ShownCase:
    """One case of a check, in lines of text."""

    asked: tuple[str, ...]
    expected: tuple[str, ...]
    came: tuple[str, ...]
    is_wrong: bool


@dataclass(frozen=True)
class ShownCheck:
    """What one check asked a learner's code; `left_out` counts the cases that are not shown."""

    cases: tuple[ShownCase, ...]
    left_out: int = 0


def shown_check(
    exchanges: Sequence[Exchange | Reading], expected: Expected, planned: Sequence[Question] = ()
) -> ShownCheck:
    """A check's questions and answers, wrong cases first.

    planned: what it would have asked, in case no answer came.
    """
    if not exchanges:
        nothing = {"kind": "no answer came"}
        exchanges = [Exchange(each, [Answers({}, nothing) for _ in each.cases]) for each in planned]
    cases = [case for exchange in exchanges for case in _cases(exchange, expected)]
    cases.sort(key=lambda case: not case.is_wrong)
    return ShownCheck(tuple(cases[:MOST_CASES]), max(len(cases) - MOST_CASES, 0))


def asked_again(
    course: Course, level: Level, seed: int, submission: Submission, exercise: str
) -> tuple[ExerciseResult, dict[str, ShownCheck]]:
    """Grade a submission's exercise again; returns the result, and the values of the checks that do not pass."""
    from .grading import Judge

    shown: dict[str, ShownCheck] = {}

    def attend(session: Session, result: ExerciseResult) -> None:
        for check in result.checks:
            if check.outcome == "failed":
                planned = session.planned(check.name)
                shown[check.name] = shown_check(
                    session.asked(check.name), session.expected, planned.asked if planned else ()
                )

    records: list[Record] = []
    with closing(Judge(course, level, seed, [exercise])) as judge:
        judge.grade([submission], records.append, attend=attend)
    (again,) = records[0].exercises
    return again, shown


def _cases(exchange: Exchange | Reading, expected: Expected) -> Iterator[ShownCase]:
    if isinstance(exchange, Reading):
        yield _reading(exchange, expected)
        return
    try:
        answers = expected.answers_to(exchange.question)
    except NotInPlan:
        answers = [Answers({}) for _ in exchange.question.cases]
    for case, came, right in zip(exchange.question.cases, exchange.answers, answers, strict=True):
        yield ShownCase(tuple(case_text(case)), _told(right), _told(came), is_wrong(came, right))


def _reading(reading: Reading, expected: Expected) -> ShownCase:
    """A check that reads plain values from the learner's own outputs: these values, and the calls that gave them."""
    asked: list[str] = []

    def answer(question: Question) -> list[Answers]:
        asked.extend(line for case in question.cases for line in case_text(case))
        return expected.answers_to(question)

    wanted = read_from(reading.talk, answer)
    told = tuple(_values(wanted)), tuple(_values(reading.came))
    return ShownCase(("# read from numbers that are the learner's own", *asked), *told, wanted != reading.came)


def is_wrong(came: Answers, expected: Answers) -> bool:
    """Whether one case's answers differ from the reference's."""
    if came.error is not None or expected.error is not None:
        return came.error != expected.error
    return any(difference(came.values.get(name), right, what="") for name, right in expected.values.items())


def _told(answers: Answers) -> tuple[str, ...]:
    if answers.error is not None:
        error = answers.error
        said = ": ".join(str(error[key]) for key in ("type", "message", "name", "what") if error.get(key))
        return (f"an error ({error['kind']}): {said}" if said else f"an error ({error['kind']})",)
    return tuple(_values(answers.values))


def _values(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        yield f"{name} = {value_text(value)}"


# --- cases --------------------------------------------------------------------------------------------------------


def case_text(case: Case) -> Iterator[str]:
    """A case as lines of Python."""
    text = CaseText(case)
    if case.seed:
        yield f"torch.manual_seed({case.seed})"
    for number, step in enumerate(case.steps):
        yield from text.lines(number, step)
    if case.said:
        yield f"# {case.said}"


class CaseText:
    """Writes the steps of a case, with readable names for its slots."""

    def __init__(self, case: Case, write: Callable[[str, Any], str] = lambda name, value: value_text(value)) -> None:
        """write: the expression for the value that is to have a name."""
        self._named = {slot.number: python_name(name) for name, slot in case.inputs.items()}
        self._case = case
        self._write = write
        self._texts: dict[int, str] = {}

    def _result(self, number: int) -> str:
        """The name of a call's result."""
        is_module = self._case.module is not None and number == self._case.module.number
        return python_name(self._case.returned.get(number, "module" if is_module else f"value_{number}"))

    def lines(self, number: int, step: Mapping[str, Any]) -> Iterator[str]:
        """The lines of one step; tensors and results get a name, looked-up things are written where they are used."""
        do = step["do"]
        if do == "entry":
            self._texts[number] = step["name"]
        elif do == "tensor":
            name = self._named.get(number, f"tensor_{number}")
            self._texts[number] = name
            gradient = ".requires_grad_()" if step["gradient"] else ""
            yield f"{name} = {self._write(name, step['value'])}{gradient}"
        elif do == "library_module":
            self._texts[number] = f"torch.nn.{step['name']}({', '.join(map(repr, step['args']))})"
        elif do in ("call", "refuses"):
            self._texts[number] = name = self._result(number)
            refused = "  # must be refused" if do == "refuses" else ""
            yield f"{name} = {self._call(step)}{refused}"
        elif do == "load":
            for key, value in step["weights"].items():
                yield f"{self.text(step['target'])}.{key} = {value_text(value)}"
        elif do == "prepare":
            dtype = f".to(torch.{step['dtype']})" if step["dtype"] else ""
            yield f"{self.text(step['target'])}.{'train' if step['train'] else 'eval'}(){dtype}"
        else:
            yield from self._other(do, step)

    def _call(self, step: Mapping[str, Any]) -> str:
        target, method = self.text(step["target"]), step["method"]
        parts = [self.text(each) for each in step["args"]]
        parts += [f"{key}={self.text(each)}" for key, each in step["kwargs"].items()]
        passed = ", ".join(parts)
        if method == "__getitem__":
            return f"{target}[{passed}]"
        return f"len({target})" if method == "__len__" else f"{target}{'.' if method else ''}{method}({passed})"

    def _other(self, do: str, step: Mapping[str, Any]) -> Iterator[str]:
        if do == "gradients":
            for number, cotangent in enumerate(step["cotangents"], 1):
                yield f"weighting_{number} = {value_text(cotangent)}"
            yield "# gradients of the sum of the output, so weighted"
        elif do == "train":
            batches = step["batches"]
            yield f"# {self.text(step['target'])} is trained at the rate {step['rate']:g} on {in_words(batches)}:"
            yield f"batches = {value_text(batches)}"
        elif do == "attribute":
            yield f"{self.text(step['target'])}.{step['name']}"
        elif do in ("parameters", "buffers"):
            yield f"{self.text(step['target'])}.{do}()"

    def text(self, value: Any) -> str:
        """A value, or what a slot holds, as an expression."""
        if isinstance(value, Slot):
            return self._texts.get(value.number, f"value_{value.number}")
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(self.text, value))}]"
        if isinstance(value, Mapping):
            return "{" + ", ".join(f"{key!r}: {self.text(each)}" for key, each in value.items()) + "}"
        return self._write("value", value)


def python_name(label: str) -> str:
    """The name of an input or a result as a Python name."""
    return "".join(each if each.isalnum() else "_" for each in label)


# --- values -------------------------------------------------------------------------------------------------------


def value_text(value: Any) -> str:
    """A value as a Python expression, with its numbers to the last bit."""
    if isinstance(value, torch.Tensor):
        return _tensor_text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {value_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, Opaque):
        return f"<{value.what}>"
    return repr(value)


def _tensor_text(tensor: torch.Tensor) -> str:
    kind = "" if tensor.dtype in (torch.float32, torch.int64, torch.bool) else f", dtype=torch.{dtype_name(tensor)}"
    if tensor.numel() > MOST_NUMBERS:
        first = ", ".join(_number(each, tensor.dtype) for each in tensor.flatten()[:MOST_NUMBERS].tolist())
        rest = tensor.numel() - MOST_NUMBERS
        return f"<{in_words(tensor)}, its numbers row by row: {first} ... and {rest} more>"
    if not tensor.numel():
        return f"torch.empty({shape_text(tensor.shape)}{kind})"
    flat = _nested(tensor.tolist(), tensor.dtype, "")
    text = flat if len(flat) <= SHORT else _nested(tensor.tolist(), tensor.dtype, "\n    ")
    return f"torch.tensor({text}{kind})"


def _nested(value: Any, dtype: torch.dtype, line: str) -> str:
    if not isinstance(value, list):
        return _number(value, dtype)
    apart = f",{line} " if line and value and isinstance(value[0], list) else ", "
    inner = apart.join(_nested(each, dtype, line and f"{line} ") for each in value)
    return f"[{inner}]"


def _number(number: Any, dtype: torch.dtype) -> str:
    if not isinstance(number, float):
        return repr(number)
    if not math.isfinite(number):
        return f"torch.{number}" if number > 0 or math.isnan(number) else "-torch.inf"
    if dtype == torch.float64:
        return repr(number)
    # the fewest digits that give this float32
    text = next(text for digits in range(1, 10) if _as_float32(text := f"{number:.{digits}g}") == number)
    return text if any(sign in text for sign in ".e") else f"{text}.0"


def _as_float32(text: str) -> float:
    return ctypes.c_float(float(text)).value
