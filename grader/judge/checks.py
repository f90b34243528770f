"""The hidden checks of an exercise: pytest functions of `learner`, or of `learner` and `draw`, read from its kit once.

They are collected as pytest would (functions named `test_...`, in the order of the file) and called one after another:
pytest itself would cost every submission more than the checks. `learner` is the learner's module behind the wall, which
a check asks and compares with what is expected.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

import pytest
import torch

from grader.course import Course, Exercise
from grader.course.stubs import stub_of

from .bank import names_in
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
from .course_code import CourseCode
from .draw import Draw
from .failure import error_text, expect, fail
from .faults import GraderBroken, place
from .questions import GRADIENTS, Answering, Answers, Ask, Case, Exchange, Question, Talk

if TYPE_CHECKING:
    from .plan import Plan

CHECK_ERRORS = (Exception, pytest.fail.Exception, pytest.skip.Exception)
"""Everything that a check may raise; these of pytest's are not subclasses of Exception."""
LEADING_DOCSTRING = re.compile(r"\A(?:[ \t]*(?:#[^\n]*)?\n)*(\"{3}|'{3}).*?\1", re.DOTALL)
"""A docstring at the head of a file, which a small repair may change. Each line matches in one way only: two
alternatives would double the time with every line."""
LINE_END = re.compile(r"\r\n?")

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


class Kit:
    """An exercise with what the judge has for it; a course without answers has plans in their place."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self.course = course
        self.exercise = exercise
        self.checks_path = course.checks_path(exercise)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """The hidden checks, in the order of their file. Raises GraderBroken when there are none that can be run."""
        if not self.checks_path.is_file():
            raise GraderBroken(f"there are no checks for {self.exercise.id}")
        names = names_in(self.checks_path)
        for name, each in names.items():
            if name.startswith("test") and inspect.isfunction(each):
                where = place(self.checks_path, each.__code__.co_firstlineno)
                raise GraderBroken(f"{where}: {name} has no @points: write above it what it is worth")
        return tuple(each for each in names.values() if isinstance(each, Check))

    @cached_property
    def code(self) -> CourseCode | None:
        """The reference and the known mistakes; none in a course without answers."""
        if not self.course.has_answers:
            return None
        return CourseCode(self.course.solution_path(self.exercise), self.course.mistakes_path(self.exercise))

    @cached_property
    def stub(self) -> str:
        """The file as a learner is given it."""
        return stub_of(self.course, self.exercise)


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

    def _ask_both(self, cases: Sequence[Case]) -> tuple[list[Answers], list[Answers], Question]:
        """The answers as of `ask`, the expected ones, and the question."""
        answers = self.ask(*cases)
        question = self.exchanges[-1].question
        return answers, self.expected.answers_to(question), question

    def read(
        self,
        read: Callable[[Ask], Mapping[str, Any]],
        *,
        describe: Callable[[Mapping[str, Any]], str] | None = None,
        diagnosed: bool = True,
    ) -> Mapping[str, Any]:
        """Return what a talk reads from the answers to its questions; an error of the code fails the check.

        `describe` makes the sentence for an error; with `diagnosed` known mistakes are recognised by the same reading.
        """
        talk = Talk(read=read, is_random=True)

        def answer(cases: Sequence[Case]) -> list[Answers]:
            talk.asked.extend(case.copied() for case in cases)
            return self.exchange(cases).answers

        came = talk.read_from(answer)
        if diagnosed:
            self.exchanges.append(Exchange(talk.question, [came]))
        if came.error is not None:
            fail((describe or self.tell_error)(came.error))
        return came.values

    def outputs(self, *cases: Case) -> list[torch.Tensor]:
        """The outputs of some cases, each a tensor of the right shape and dtype; the check judges the numbers."""
        answers, expected, _ = self._ask_both(cases)
        for case, came, right in zip(cases, answers, expected, strict=True):
            wrong = form_difference(came[OUTPUT], right[OUTPUT], what="The output", axes=case.axes)
            expect(not wrong, str(wrong))
        self._doubt_outputs(cases, answers, expected)
        return [came[OUTPUT] for came in answers]

    def _doubt_outputs(self, cases: Sequence[Case], answers: Sequence[Answers], expected: Sequence[Answers]) -> None:
        for case, came, right in zip(cases, answers, expected, strict=True):
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
        answers, expected, _ = self._ask_both(cases)
        for case, answer in zip(cases, answers, strict=True):
            after = answer["inputs"] if isinstance(answer["inputs"], dict) else {}
            for name, slot in case.inputs.items():
                expect(
                    not difference(after.get(name), case.steps[slot.number]["value"], what=name),
                    f"Your code changed its input `{name}` in place. Work on a copy (no trailing-underscore methods).",
                )
        self._doubt_outputs(cases, answers, expected)

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
        answers, expected, question = self._ask_both(cases)
        if any(right.error is not None for right in expected):
            raise RuntimeError("the reference fails at its own check")

        def wrong(slack: Sequence[Answers]) -> Iterator[str]:
            for each in zip(cases, answers, expected, slack, strict=True):
                yield from _differences(*each, magnitude)

        # only for wrong numbers is it worth computing how far rounding may move them
        if any(wrong([Answers({})] * len(cases))) and (message := next(wrong(self.expected.slack(question)), None)):
            fail(message)


def _code_lines(text: str) -> Counter[str]:
    """The lines of code in a text, and how often each is there."""
    text = LEADING_DOCSTRING.sub("", LINE_END.sub("\n", text), count=1)
    lines = (line.rstrip() for line in text.splitlines())
    return Counter(line for line in lines if line and not line.lstrip().startswith("#"))


def _differences(case: Case, came: Answers, expected: Answers, slack: Answers, magnitude: float) -> Iterator[str]:
    """What is wrong with each value of a case."""
    for name, right in expected.values.items():
        room, what = slack.values.get(name), value_name(name)
        if name == GRADIENTS:
            wrong = gradients_difference(came[name], right, room)
        else:
            scale = scale_for(right, magnitude)
            wrong = difference(came[name], right, what=what, axes=case.axes, slack=room, scale=scale)
        if wrong:  # of several values the first came before what is special about the case
            is_special = case.said and (name != OUTPUT or len(expected.values) == 1)
            yield wrong.removesuffix(".") + f" ({case.said})." if is_special else wrong
