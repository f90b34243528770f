"""The hidden checks of an exercise: pytest functions of `learner`, or of `learner` and `draw`.

`learner` is the learner's module behind the wall, which a check asks and compares with what is expected. `draw` has the
hidden inputs: fresh numbers in every run, the same numbers for the same seed.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import pytest
import torch

from .compare import (
    OUTPUT,
    difference,
    dtype_name,
    form_difference,
    gradients_difference,
    is_far_off,
    scale_for,
    value_name,
    without_decimals,
)
from .failure import error_text, expect, fail
from .faults import ASKS_OTHERWISE, GraderBroken, NotInPlan
from .questions import GRADIENTS, Answering, Answers, Ask, Case, Exchange, Question, Talk

if TYPE_CHECKING:
    from .plan import Plan

CHECK_ERRORS = (Exception, pytest.fail.Exception, pytest.skip.Exception)
"""Everything that a check may raise; these of pytest's are not subclasses of Exception."""
LEADING_DOCSTRING = re.compile(r"\A(?:[ \t]*(?:#[^\n]*)?\n)*(\"{3}|'{3}).*?\1", re.DOTALL)
"""A docstring at the head of a file, which a small repair may change. Each line matches in one way only: two
alternatives would double the time with every line."""

Role = Literal["main", "behaviour", "manners", "repair"]


@dataclass(frozen=True)
class Check:
    """One hidden check, and what it is worth."""

    name: str
    title: str
    points: float
    role: Role
    visible: bool
    converses: bool
    function: FunctionType

    def run(self, learner: LearnerModule, draw: Draw) -> None:
        """Run it. Raises CheckFailed for the learner's fault; any other error is the grader's own."""
        self.function(*(learner, draw)[: self.function.__code__.co_argcount])


def points(
    value: float, *, role: Role = "behaviour", visible: bool = False, converses: bool = False
) -> Callable[[FunctionType], Check]:
    """Make a function a check with its points and its role; the first paragraph of its docstring is its title.

    "main": what the exercise is about. "behaviour": whatever else must hold. "manners": any harmless function passes,
    so its points count only when every main check passes. "repair": the size of a debug task's repair; points (when the
    main checks pass), but not needed to pass the exercise. `visible` checks may show their numbers.
    What a check asks is known ahead, and never depends on answers; one that `converses` is exempt: it trains a model.
    Raises ValueError for a function without a docstring, or with other arguments than `learner` and `draw`.
    """

    def check_of(function: FunctionType) -> Check:
        name, arguments = function.__name__, tuple(inspect.signature(function).parameters)
        title = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
        if not title:
            raise ValueError(f"{name} has no docstring: write the sentence that a learner reads")
        if arguments != ("learner", "draw")[: len(arguments)]:
            raise ValueError(f"{name} gets `learner` and `draw`, and there is no `{arguments[-1]}`")
        return Check(name, title, value, role, visible, converses, function)

    return check_of


# --- hidden inputs ----------------------------------------------------------------------------------------------------

Item = TypeVar("Item")

SPREAD, MOST_SPREAD = 1.5, 0.5
"""Of random weights. A sum of few products can be ten times its usual size, so narrow matrices have small numbers: the
exp() of a score of 88 overflows, and a right answer may take it of the scores as they are."""

Drawn = tuple[tuple[Any, ...], Any]
"""What was drawn: what was asked for, and what came: numbers, or the forms of what the reference has."""


class Draw:
    """Random numbers for one check of one exercise; `drawn` is what was drawn so far.

    `reference` is the reference solution's namespace; it is empty in a course without answers. `again`: give these
    once more, and raise GraderBroken for anything else.
    """

    def __init__(
        self, seed: int, exercise: str, check: str, reference: Mapping[str, Any], again: Sequence[Drawn] | None = None
    ) -> None:
        key = hashlib.blake2b(f"{seed}/{exercise}/{check}".encode(), digest_size=8).digest()
        self._chance = torch.Generator().manual_seed(int.from_bytes(key, "big") >> 1)
        self._of = (seed, exercise)
        self._reference = reference
        self._again = again
        self.drawn: list[Drawn] = []

    def common(self) -> Draw:
        """Numbers that all checks that converse share, for what they ask about together."""
        return Draw(*self._of, "", self._reference)

    def once(self, asked: tuple[Any, ...], fresh: Callable[[], Any]) -> Any:
        """What is drawn next, made by `fresh` when the plan is made, and again what it was from then on."""
        number = len(self.drawn)
        if self._again is None:
            self.drawn.append((asked, fresh()))
        elif number < len(self._again) and self._again[number][0] == asked:
            self.drawn.append(self._again[number])
        else:
            raise GraderBroken(ASKS_OTHERWISE)
        return self.drawn[-1][1]

    def _numbers(self, source: Callable[..., torch.Tensor], *sizes: Any, **form: Any) -> torch.Tensor:
        """All randomness comes from here."""
        asked = source.__name__, *sizes
        numbers: torch.Tensor = self.once(asked, lambda: source(*sizes, generator=self._chance, **form))
        return numbers.clone()

    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Normally distributed numbers of this shape."""
        return (self._numbers(torch.randn, shape, dtype=torch.float64) * scale).to(dtype)

    def uniform(
        self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Uniformly distributed numbers from low to high."""
        return (self._numbers(torch.rand, shape, dtype=torch.float64) * (high - low) + low).to(dtype)

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return int(self._numbers(torch.randint, low, high + 1, ()))

    def distinct(self, count: int, low: int, high: int) -> list[int]:
        """Distinct whole numbers from low to high, so that mixing up two axes is noticed."""
        order = self._numbers(torch.randperm, high - low + 1)[:count]
        return [low + int(i) for i in order]

    def order(self, count: int) -> torch.Tensor:
        """A permutation of 0 … count-1 other than the identity (for count > 1)."""
        order = self._numbers(torch.randperm, count)
        return order if count < 2 or bool((order != torch.arange(count)).any()) else order.flip(0)

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in random order."""
        return [items[int(i)] for i in self._numbers(torch.randperm, len(items))]

    def seed(self) -> int:
        """A seed for the learner's side, for questions with dropout or random weights."""
        return self.integer(0, 2**31 - 1)

    def weights(self, entry: str, *init: Any, **keywords: Any) -> dict[str, torch.Tensor]:
        """Numbers for every parameter of the reference's class when made with these arguments, by name.

        Matrices are scaled by 1/√(inputs), so that scores stay moderate whatever the width. Raises NotInPlan where
        there is no reference.
        """

        def shapes() -> dict[str, list[int]]:
            if not self._reference:
                raise NotInPlan(f"the parameters of {entry} are not known here")
            made = self._reference[entry](*init, **keywords)
            return {name: list(tensor.shape) for name, tensor in made.named_parameters()}

        known = self.once(("shapes", repr((entry, init, sorted(keywords.items())))), shapes)
        return {
            name: self.normal(*shape, scale=min(MOST_SPREAD, SPREAD / math.sqrt(math.prod(shape[1:]))))
            for name, shape in known.items()
        }


# --- what a check talks to --------------------------------------------------------------------------------------------


@dataclass
class LearnerModule:
    """The learner's code for one exercise, as one check sees it.

    Every method that asks raises CheckFailed with a sentence for the learner when code or answer is wrong.
    """

    exchange: Answering
    expected: Plan
    draw: Draw
    source: str
    given: str = ""
    forbidden_reason: str = ""
    is_visible: bool = False
    exchanges: list[Exchange] = field(default_factory=list)
    looked_at_source: bool = False
    """Whether the source mattered too, if only for a quotation in a message."""
    doubts: list[str] = field(default_factory=list)
    """Outputs that are wrong in a check of something else: they fail it if everything else is right."""

    def ask_all(self, *cases: Case) -> list[Answers]:
        """Ask for the values of some cases in one question; errors of the learner's code are among the answers."""
        self.exchanges.append(exchange := self.exchange(cases))
        return exchange.answers

    def ask(self, *cases: Case) -> list[Answers]:
        """As `ask_all`, but an error of the learner's code fails the check."""
        answers = self.ask_all(*cases)
        for answer in answers:
            if answer.error is not None:
                fail(self.tell_error(answer.error))
        return answers

    def _asked(self, cases: Sequence[Case]) -> list[tuple[Case, Answers, Answers]]:
        """Each case with the answers as of `ask`, and with the expected ones."""
        answers = self.ask(*cases)
        return list(zip(cases, answers, self.expected.answers_to(self.exchanges[-1].question), strict=True))

    def read(
        self,
        read: Callable[[Ask], Mapping[str, Any]],
        *,
        tell: Callable[..., str] | None = None,
        diagnosed: bool = True,
    ) -> Mapping[str, Any]:
        """What a talk reads from the answers to its questions; an error of the code fails the check.

        tell: makes the sentence for an error. With `diagnosed` known mistakes are recognised by the same reading.
        """
        talk = Talk(read=read, is_random=True)

        def answer(cases: Sequence[Case]) -> list[Answers]:
            talk.asked.extend(case.copied() for case in cases)
            return self.exchange(cases).answers

        came = talk.read_from(answer)
        if diagnosed:
            self.exchanges.append(Exchange(talk.question, [came]))
        if came.error is not None:
            fail((tell or self.tell_error)(came.error))
        return came.values

    def outputs(self, *cases: Case) -> list[torch.Tensor]:
        """The outputs of some cases, each a tensor of the right shape and dtype; the check judges the numbers."""
        asked = self._asked(cases)
        for case, came, right in asked:
            wrong = form_difference(came[OUTPUT], right[OUTPUT], what="The output", axes=case.axes)
            expect(not wrong, str(wrong))
        self._doubt_outputs(asked)
        return [came[OUTPUT] for _, came, _ in asked]

    def _doubt_outputs(self, asked: Sequence[tuple[Case, Answers, Answers]]) -> None:
        for case, came, right in asked:
            if not case.is_random and is_far_off(came[OUTPUT], right[OUTPUT]):
                self.doubts.append("The output, right elsewhere, is wrong in this check.")

    def tell_error(self, error: Mapping[str, Any]) -> str:
        """The sentence for an error of the learner's code."""
        self.looked_at_source = True
        return error_text(error, self.source.splitlines(), self.forbidden_reason, hide_numbers=not self.is_visible)

    def agrees(self, *cases: Case, magnitude: float = 1.0) -> None:
        """Check that all values of these cases equal the reference's, up to rounding.

        The cases are asked in random order, the first again at the end: an answer must not depend on earlier cases.
        `magnitude`: the size of numbers that a right answer may have to round on its way (scores of 1000, say).
        """
        order = self.draw.shuffled(cases)
        self._compare([*order, order[0]], magnitude)

    def agrees_in_gradients(self, *cases: Case) -> None:
        """Check that gradients of inputs and parameters equal the reference's, for a random weighting of the output."""

        def forms() -> list[list[tuple[list[int], str]]]:
            """Shape and dtype of each output of each case, as the reference gives them."""
            outputs = [answer[OUTPUT] for answer in self.expected.answers_to(Question.of(cases))]
            parts = [each if isinstance(each, (list, tuple)) else [each] for each in outputs]
            return [[(list(part.shape), dtype_name(part)) for part in each] for each in parts]

        for case, outputs in zip(cases, self.draw.once(("forms", len(cases)), forms), strict=True):
            case.gradients([self.draw.normal(*shape, dtype=getattr(torch, dtype)) for shape, dtype in outputs])
        self._compare(cases)

    def keeps_inputs(self, *cases: Case) -> None:
        """Check that a call leaves its input tensors unchanged."""
        for case in cases:
            case.return_value(dict(case.inputs), "inputs")
        asked = self._asked(cases)
        for case, came, _ in asked:
            after = came["inputs"] if isinstance(came["inputs"], dict) else {}
            for name, slot in case.inputs.items():
                expect(
                    not difference(after.get(name), case.steps[slot.number]["value"], what=name),
                    f"Your code changed its input `{name}` in place. Work on a copy (no trailing-underscore methods).",
                )
        self._doubt_outputs(asked)

    def refuses(self, entry: str, *arguments: tuple[Any, ...], why: str) -> None:
        """Check that a constructor or function refuses each of these arguments with AssertionError or ValueError."""
        cases = [Case() for _ in arguments]
        for case, args in zip(cases, arguments, strict=True):
            case.refuses(case.entry(entry), *args)
        for answer in self.ask(*cases):
            ending = str(answer["refusal"])
            came = "was accepted" if ending == "accepted" else f"{without_decimals(ending[:60])} was raised"
            expect(
                ending == "refused",
                f"{why} must be refused with AssertionError (an `assert` raises it) or ValueError, but {came}.",
            )

    def repaired_with(self, *, removed: int, added: int) -> None:
        """Check that the file differs from the given one by no more lines than this.

        Blank lines, comments and the order of lines are left aside.
        """
        self.looked_at_source = True
        before, after = _code_lines(self.given), _code_lines(self.source)
        gone, new = (before - after).total(), (after - before).total()
        expect(
            gone <= removed and new <= added,
            f"The repair takes at most {removed} lines out and puts {added} in; yours: {gone} out, {new} in. "
            "Start again from the given file (it works, but it is more than a repair).",
        )

    def _compare(self, cases: Sequence[Case], magnitude: float = 1.0) -> None:
        for number, (case, came, right) in enumerate(self._asked(cases)):
            if right.error is not None:
                raise RuntimeError("the reference fails at its own check")
            # only for wrong numbers is it worth computing how far rounding may move them
            if _wrong(case, came, right, Answers({}), magnitude):
                slack = self.expected.slack(self.exchanges[-1].question)[number]
                if wrong := _wrong(case, came, right, slack, magnitude):
                    fail(wrong)


def _code_lines(text: str) -> Counter[str]:
    """The lines of code in a text, and how often each is there."""
    text = LEADING_DOCSTRING.sub("", "\n".join(text.splitlines()), count=1)
    lines = (line.rstrip() for line in text.splitlines())
    return Counter(line for line in lines if line and not line.lstrip().startswith("#"))


def _wrong(case: Case, came: Answers, expected: Answers, slack: Answers, magnitude: float) -> str:
    """What is wrong with the first wrong value of a case; "" if nothing is."""
    for name, right in expected.values.items():
        room, what = slack.values.get(name), value_name(name)
        if name == GRADIENTS:
            wrong = gradients_difference(came[name], right, room)
        else:
            scale = scale_for(right, magnitude)
            wrong = difference(came[name], right, what=what, axes=case.axes, slack=room, scale=scale)
        if wrong:  # of several values the first came before what is special about the case
            is_special = case.said and (name != OUTPUT or len(expected.values) == 1)
            return wrong.removesuffix(".") + f" ({case.said})." if is_special else wrong
    return ""
