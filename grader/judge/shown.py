"""What is shown of a check beyond its message: its cases as Python, with their answers, and the first wrong numbers.

Of hidden checks only an instructor sees it, who answers an appeal: their inputs must not be written anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from grader.record import Mismatch
from grader.sandbox.inside.wire import Opaque, Slot

from .answers import Answers, Exchange, Talk, same_answers
from .case import GRADIENTS, OUTPUT, Case
from .compare import dtype_name, form_difference, in_words, one_of, shape_text, where, wrong_places
from .failure import BREAKPOINT
from .faults import NotInPlan

if TYPE_CHECKING:
    from grader.course import Course
    from grader.intake import Submission
    from grader.record import CheckResult, ExerciseResult
    from grader.sandbox.levels import Level

    from .expected import Expected
    from .grading import Judge
    from .session import Session

UNKNOWN = Answers({})
MOST = 12
"""Limit for the rows, and for the columns, that are shown of a tensor."""
MOST_NUMBERS = 256
"""Limit for the numbers of one tensor in a text."""
SHORT = 96
"""A tensor of at most this many characters is written on one line."""
SILENT = b"\n\nimport pdb\nbreakpoint = pdb.set_trace = lambda *_, **__: None\n"
"""At the end of a file this switches its breakpoints off, and moves no line."""


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
    def differs(self) -> bool:
        """Whether the case has no answer, or one that the reference does not give."""
        return self.expected is not UNKNOWN and not same_answers(self.came, self.expected)

    @property
    def is_wrong(self) -> bool:
        """Whether it differs, and must not: random numbers of right code may be others."""
        return self.differs and (not self.case.is_random or self.came.error is not None or self.came is UNKNOWN)

    def text(self) -> dict[str, list[str]]:
        """Lines of Python: what was asked, what was expected, and what came."""
        asked = [line for case in (self.case, *self.later) for line in case_text(case)]
        return {"asked": asked, "expected": _lines(self.expected), "came": _lines(self.came)}


def _lines(answers: Answers) -> list[str]:
    error = answers.error
    if error is not None:
        said = ": ".join(str(error[key]) for key in ("type", "message", "name", "what") if error.get(key))
        return [f"an error ({error['kind']}): {said}" if said else f"an error ({error['kind']})"]
    if answers is UNKNOWN:
        return ["an error (no answer came)"]
    return [f"{name} = {value_text(value)}" for name, value in answers.values.items()]


def _answered(session: Session, check: CheckResult) -> Iterator[AnsweredCase]:
    """What a check asked and was answered; what is planned if no answer came, or all are the reference's."""
    exchanges = session.asked(check.name)
    if not exchanges:
        exchanges = session.planned(check.name).exchanges
        if check.outcome != "passed":
            exchanges = [replace(each, answers=[UNKNOWN] * len(each.answers)) for each in exchanges]
    for each in exchanges:
        try:
            right = session.expected.answers_to(each.question)
        except NotInPlan:
            right = [UNKNOWN] * len(each.answers)
        for case, came, expected in zip(each.question.cases, each.answers, right, strict=True):
            first, *later = case.asked if isinstance(case, Talk) else [case]
            yield AnsweredCase(check, first, came, expected, later)


@dataclass(frozen=True)
class Look:
    """A look into one exercise: its result, a case of a visible check, whether that stops at a breakpoint."""

    result: ExerciseResult
    fault: AnsweredCase | None
    reaches_breakpoint: bool


def look_into(judge: Judge, submission: Submission) -> Look:
    """Grade a submission of one file; if its case stops at a breakpoint, again with the breakpoints switched off.

    Raises what Judge.grade raises.
    """
    found: list[tuple[ExerciseResult, AnsweredCase | None]] = []

    def attend(session: Session, result: ExerciseResult) -> None:
        found.append((result, _case_at_fault(session, result)))

    judge.grade([submission], lambda record: None, attend=attend)
    fault = found[0][1]
    reaches_breakpoint = fault is not None and (fault.came.error or {}).get("type") == BREAKPOINT
    if reaches_breakpoint:
        silent = {id: replace(each, content=each.content + SILENT) for id, each in submission.sources.items()}
        judge.grade([replace(submission, sources=silent)], lambda record: None, attend=attend)
    return Look(*found[-1], reaches_breakpoint)


def _case_at_fault(session: Session, result: ExerciseResult) -> AnsweredCase | None:
    """The case to look into; None where no visible check has one.

    A failed check comes first, then one whose outputs are wrong though it asks for something else, then any. Of a check
    it is the first wrong case; without one its last if it failed, and its first if it passed.
    """
    found = []
    for check in (each for each in result.checks if each.visible):
        if cases := list(_answered(session, check)):
            usual = cases[-1 if check.outcome == "failed" else 0]
            found.append(next((each for each in cases if each.is_wrong), usual))
    return min(found, key=lambda fault: (fault.check.outcome != "failed", not fault.is_wrong), default=None)


def asked_again(
    course: Course, level: Level, seed: int, submission: Submission, exercise: str
) -> tuple[ExerciseResult, dict[str, list[AnsweredCase]]]:
    """Grade a submission's exercise again; returns the result, and the cases of failed checks, wrong ones first."""
    from .grading import Judge

    shown: dict[str, list[AnsweredCase]] = {}
    results: list[ExerciseResult] = []

    def attend(session: Session, result: ExerciseResult) -> None:
        results.append(result)
        for check in result.checks:
            if check.outcome == "failed":
                shown[check.name] = sorted(_answered(session, check), key=lambda case: not case.differs)

    with closing(Judge(course, level, seed, [exercise])) as judge:
        judge.grade([submission], lambda record: None, attend=attend)
    (again,) = results
    return again, shown


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
            for place, cotangent in enumerate(step["cotangents"], 1):
                yield f"weighting_{place} = {value_text(cotangent)}"
            yield "# gradients of the sum of the output, so weighted"
        elif do == "train":
            yield f"# {target} is trained at the rate {step['rate']:g} on {in_words(step['batches'])}:"
            yield f"batches = {value_text(step['batches'])}"
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


def mismatch_of(exchanges: Sequence[Exchange], expected: Expected) -> Mismatch | None:
    """The first tensor of the right form with wrong numbers. Only for checks whose numbers may be seen.

    None when there is no such tensor, or when the learner's code raised an error, which is then the thing to look at.
    The numbers of a random case have no right order.
    """
    if any(answers.error is not None for exchange in exchanges for answers in exchange.answers):
        return None
    for exchange in exchanges:
        cases = zip(exchange.question.cases, exchange.answers, expected.answers_to(exchange.question), strict=True)
        for case, came, rights in cases:
            values = {} if case.is_random else {k: right for k, right in rights.values.items() if k != GRADIENTS}
            for name, right in values.items():
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
    off = f"{count} of {wrong.numel()} numbers {'is' if count == 1 else 'are'} off{pattern and f', {pattern}'}"
    return f"{off}; the others are right."


def _window(flags: torch.Tensor) -> range:
    """Up to MOST neighbours, among them the first flagged one."""
    size, first = len(flags), int(flags.nonzero()[0])
    start = 0 if first < MOST else min(first, size - MOST)
    return range(start, min(start + MOST, size))
