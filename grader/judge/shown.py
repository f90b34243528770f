"""What is shown of a check beyond its message: its cases as Python, with their answers, and the first wrong numbers.

Of hidden checks only an instructor sees it, who answers an appeal: their inputs must not be written anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from grader.record import Mismatch
from grader.sandbox.inside.wire import Opaque, Slot

from .compare import dtype_name, form_difference, in_words, named_parts, shape_text, value_name, where, wrong_places
from .faults import NotInPlan
from .questions import GRADIENTS, Answers, Case, Exchange, Talk, same_answers

if TYPE_CHECKING:
    from grader.intake import Submission
    from grader.record import CheckResult, ExerciseResult

    from .grading import Judge, Session
    from .plan import Plan

NO_ANSWER, UNKNOWN = Answers({}, {"kind": "no answer came"}), Answers({})
MOST = 12
"""Limit for the rows, and for the columns, that are shown of a tensor."""
MOST_NUMBERS = 256
"""Limit for the numbers of one tensor in a text."""
SHORT = 96
"""A tensor of at most this many characters is written on one line."""


@dataclass(frozen=True)
class AnsweredCase:
    """One case of a check, with actual and expected answers as far as they are known.

    later: the other cases of a talk. Its answers are what was read from the learner's own numbers.
    """

    check: CheckResult
    case: Case
    came: Answers
    expected: Answers
    later: Sequence[Case] = ()

    @property
    def is_wrong(self) -> bool:
        """Whether it has no answer, or one that the reference does not give: of random numbers only an error counts."""
        may_differ = self.expected is UNKNOWN or (self.case.is_random and self.came.error is None)
        return not may_differ and not same_answers(self.came, self.expected)

    def text(self) -> dict[str, list[str]]:
        """Lines of Python: what was asked, what was expected, and what came."""
        asked = [line for case in (self.case, *self.later) for line in case_text(case)]
        return {"asked": asked, "expected": _lines(self.expected), "came": _lines(self.came)}


def _lines(answers: Answers) -> list[str]:
    error = answers.error
    if error is not None:
        said = ": ".join(str(error[key]) for key in ("type", "message", "name", "what") if error.get(key))
        return [f"an error ({error['kind']}): {said}" if said else f"an error ({error['kind']})"]
    return [f"{name} = {value_text(value)}" for name, value in answers.values.items()]


def asked_again(
    judge: Judge, submission: Submission, wanted: Callable[[CheckResult], bool]
) -> tuple[ExerciseResult, list[AnsweredCase]]:
    """Grade a submission of one exercise; returns the result, and the cases of wanted checks.

    Raises what Judge.grade raises.
    """
    judge.prepare()
    ((session, result),) = judge.examined(submission)
    return result, [case for check in filter(wanted, result.checks) for case in _answered(session, check)]


def _answered(session: Session, check: CheckResult) -> Iterator[AnsweredCase]:
    """What a check asked and was answered; what is planned if no answer came, or all are the reference's."""
    exchanges = session.asked(check.name)
    if not exchanges:
        exchanges = session.expected.checks[check.name].exchanges
        if check.outcome != "passed":
            exchanges = [replace(each, answers=[NO_ANSWER] * len(each.answers)) for each in exchanges]
    for each in exchanges:
        right = [UNKNOWN] * len(each.answers)
        with suppress(NotInPlan):
            right = session.expected.answers_to(each.question)
        for case, came, expected in zip(each.question.cases, each.answers, right, strict=True):
            first, *later = case.asked if isinstance(case, Talk) else [case]
            yield AnsweredCase(check, first, came, expected, later)


# --- a case as the Python code that it stands for -------------------------------------------------------------------


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
        self._named = {slot.number: name for name, slot in case.inputs.items()} | case.returned
        self._module = case.module.number if case.module else None
        self._write = write
        self._texts: dict[int, str] = {}

    def lines(self, number: int, step: Mapping[str, Any]) -> Iterator[str]:
        """The lines of one step; tensors and results get a name, looked-up things are written where they are used."""
        do, target = step["do"], self.text(step["target"]) if "target" in step else ""
        if do == "entry":
            self._texts[number] = step["name"]
        elif do == "library_module":
            self._texts[number] = f"torch.nn.{step['name']}({', '.join(map(repr, step['args']))})"
        elif do == "tensor":
            name = self._name(number, "tensor")
            yield f"{name} = {self._write(name, step['value'])}{'.requires_grad_()' if step['gradient'] else ''}"
        elif do in ("call", "refuses"):
            called = self._call(target, step)
            name = self._name(number, "value")
            yield f"{name} = {called}{'  # must be refused' if do == 'refuses' else ''}"
        elif do == "load":
            for key, value in step["weights"].items():
                yield f"{target}.{key} = {value_text(value)}"
        elif do == "prepare":
            dtype = f".to(torch.{step['dtype']})" if step["dtype"] else ""
            yield f"{target}.{'train' if step['train'] else 'eval'}(){dtype}"
        elif do == "gradients":
            yield f"weightings = {value_text(step['cotangents'])}  # gradients of the sum of the output, so weighted"
        elif do == "train":
            yield f"batches = {value_text(step['batches'])}  # {target} is trained on them at the rate {step['rate']:g}"
        elif do in ("attribute", "parameters", "buffers"):
            yield f"{target}.{step['name'] if do == 'attribute' else f'{do}()'}"

    def _name(self, number: int, kind: str) -> str:
        """The name of an input or a result, as a Python name."""
        label = self._named.get(number, "module" if number == self._module else f"{kind}_{number}")
        self._texts[number] = name = "".join(each if each.isalnum() else "_" for each in label)
        return name

    def _call(self, target: str, step: Mapping[str, Any]) -> str:
        parts = [self.text(each) for each in step["args"]]
        passed = ", ".join(parts + [f"{key}={self.text(each)}" for key, each in step["kwargs"].items()])
        method = step["method"]
        if method == "__getitem__":
            return f"{target}[{passed}]"
        return f"len({target})" if method == "__len__" else f"{target}{'.' if method else ''}{method}({passed})"

    def text(self, value: Any) -> str:
        """A value, or what a slot holds, as an expression."""
        if isinstance(value, Slot):
            return self._texts.get(value.number, f"value_{value.number}")
        return _expression(value, self.text) or self._write("value", value)


def value_text(value: Any) -> str:
    """A value as a Python expression, with its numbers to the last bit; of a large tensor only the beginning."""
    if isinstance(value, torch.Tensor):
        return _tensor_text(value)
    return _expression(value, value_text) or (f"<{value.what}>" if isinstance(value, Opaque) else repr(value))


def _expression(value: Any, write: Callable[[Any], str]) -> str:
    """A list, tuple or dict as an expression; "" for anything else."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {write(each)}" for key, each in value.items()) + "}"
    return f"[{', '.join(map(write, value))}]" if isinstance(value, (list, tuple)) else ""


def _tensor_text(tensor: torch.Tensor) -> str:
    kind = "" if tensor.dtype in (torch.float32, torch.int64, torch.bool) else f", dtype=torch.{dtype_name(tensor)}"
    if not tensor.numel():
        return f"torch.empty({shape_text(tensor.shape)}{kind})"
    shown = tensor if tensor.numel() <= MOST_NUMBERS else tensor.flatten()[:MOST_NUMBERS]
    # as texts, each number has as few digits as give it back
    numbers = (shown.float() if tensor.dtype == torch.bfloat16 else shown).numpy().astype(str).tolist()
    text = re.sub(r"\b(inf|nan)\b", r"torch.\1", str(numbers).replace("'", ""))
    if shown is not tensor:
        rest = tensor.numel() - MOST_NUMBERS
        return f"<{in_words(tensor)}, its numbers row by row: {text[1:-1]} ... and {rest} more>"
    if len(text) > SHORT:  # a line for each row, below the one before
        text = re.sub(r"(\]+), ", lambda end: f"{end[1]},\n    {' ' * (tensor.dim() - len(end[1]))}", text)
    return f"torch.tensor({text}{kind})"


# --- the first wrong numbers of a visible check ----------------------------------------------------------------------


def mismatch_of(exchanges: Sequence[Exchange], expected: Plan) -> Mismatch | None:
    """The first tensor of the right form with wrong numbers. Only for checks whose numbers may be seen.

    None when there is no such tensor, or when the learner's code raised an error, which is then the thing to look at.
    The numbers of a random case have no right order.
    """
    if any(answers.error is not None for each in exchanges for answers in each.answers):
        return None
    for each in exchanges:
        rights = expected.answers_to(each.question)
        for case, came, right in zip(each.question.cases, each.answers, rights, strict=True):
            for name, value in right.values.items():
                if name != GRADIENTS and not case.is_random:
                    for found in _wrong_tensors(came.values.get(name), value, value_name(name)):
                        return _mismatch(*found, case.axes)
    return None


def _wrong_tensors(came: Any, expected: Any, what: str) -> Iterator[tuple[str, Any, torch.Tensor]]:
    """The tensors of the right form and of more than one number in which any is wrong, beside the expected ones."""
    is_same_form = not form_difference(came, expected, what=what)
    if isinstance(expected, torch.Tensor):
        has_plane = expected.dim() > 0 and expected.shape[-2:].numel() > 1
        if is_same_form and has_plane and bool(wrong_places(came, expected).any()):
            yield what, came, expected
    elif is_same_form and isinstance(expected, (list, tuple, Mapping)):
        for key, part in named_parts(expected, what).items():
            yield from _wrong_tensors(came[key], expected[key], part)


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
    off = f"{count} of {wrong.numel()} numbers {'is' if count == 1 else 'are'} off{pattern and f', {pattern}'}"
    return f"{off}; the others are right."


def _window(flags: torch.Tensor) -> range:
    """Up to MOST neighbours, among them the first flagged one."""
    size, first = len(flags), int(flags.nonzero()[0])
    start = 0 if first < MOST else min(first, size - MOST)
    return range(start, min(start + MOST, size))
