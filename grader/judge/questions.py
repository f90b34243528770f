"""Questions and answers: a case is a short program of steps, run in the same way on whatever code is asked.

That is the learner's code, the reference, or a mistake. What comes back is checked for its form: from a learner's
worker, all of it is a claim.

Some answers depend on the learner's own numbers, as with a model built from other parts. Then a check asks for raw
numbers, compares them with each other and with what only the judge knows, and keeps the result: a few plain values, its
reading. A known mistake is asked in the same way, and recognised by its reading instead of its numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import torch
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from grader.sandbox.inside import wire
from grader.sandbox.inside.wire import Slot, WireError

from .compare import OUTPUT, gradients_difference, plain_name, same
from .failure import NOT_AN_ANSWER, error_identity, read_error

DIGEST_BYTES = 16
GRADIENTS = "gradients"
STEPS_OF_TRAINING = 10
"""A training step counts as this many other steps; it takes at least as long."""


@dataclass
class Case:
    """Steps that fill numbered slots; `returned` names the slots whose values are returned.

    `axes` names the axes of the output for a learner, `inputs` the tensors by the learner's own parameter names.
    `is_random`: right outputs may differ, since the learner's code draws random numbers in an order of its own.
    `said`: what is special about the case, for messages: "in training, with dropout = 1".
    """

    axes: tuple[str, ...] = ()
    seed: int = 0
    is_random: bool = False
    said: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)
    returned: dict[int, str] = field(default_factory=dict)
    inputs: dict[str, Slot] = field(default_factory=dict)
    module: Slot | None = None
    output: Slot | None = None

    def _add(self, do: str, return_as: str = "", **details: Any) -> Slot:
        number = len(self.steps)
        # the key "tell" is part of the wire format
        self.steps.append({"do": do, "tell": bool(return_as), **details})
        if return_as:
            self.returned[number] = return_as
        return Slot(number)

    def tensor(self, value: torch.Tensor, *, name: str = "", gradient: bool = False) -> Slot:
        """Pass in a fresh copy of a tensor; with a `name` it is one of the inputs."""
        slot = self._add("tensor", value=value.contiguous(), gradient=gradient)
        if name:
            self.inputs[name] = slot
        return slot

    def entry(self, name: str) -> Slot:
        """The function or class of that name in the learner's file."""
        return self._add("entry", name=name)

    def library_module(self, name: str, *args: Any) -> Slot:
        """A module of torch.nn, such as library_module("Dropout", 0.5)."""
        return self._add("library_module", name=name, args=list(args))

    def call(self, target: Slot, *args: Any, method: str = "", return_as: str = "", **kwargs: Any) -> Slot:
        """Call what is in a slot, or one of its methods. Tensor arguments are passed as fresh copies."""
        passed, named = [self._handed_in(arg) for arg in args], {k: self._handed_in(v) for k, v in kwargs.items()}
        return self._add("call", return_as, target=target, method=method, args=passed, kwargs=named)

    def refuses(self, target: Slot, *args: Any, return_as: str = "refusal", **kwargs: Any) -> Slot:
        """Call what should be refused; returns "refused", "accepted", or the name of another error."""
        passed = [self._handed_in(arg) for arg in args]
        return self._add("refuses", return_as, target=target, method="", args=passed, kwargs=kwargs)

    def load(self, module: Slot, weights: Mapping[str, torch.Tensor]) -> None:
        """Load numbers into a module's parameters, by name."""
        self._add("load", target=module, weights=dict(weights))

    def prepare(self, module: Slot, *, train: bool = False, dtype: torch.dtype | None = None) -> None:
        """Choose training or evaluation mode and, if given, another dtype."""
        self.is_random = self.is_random or train
        name = str(dtype).removeprefix("torch.") if dtype else ""
        self._add("prepare", target=module, train=train, dtype=name)

    def return_value(self, value: Any, name: str) -> None:
        """Return a slot's value (or a list or dict of slots) under this name."""
        self._add("value", name, value=value)

    def parameters(self, module: Slot) -> None:
        """Return {name: [shape, trainable]} as "parameters"."""
        self._add("parameters", "parameters", target=module)

    def buffers(self, module: Slot) -> None:
        """Return the names of the module's buffers as "buffers"."""
        self._add("buffers", "buffers", target=module)

    def attribute(self, target: Slot, name: str, *, return_as: str = "") -> None:
        """Return an attribute under its own name, or under `return_as`."""
        self._add("attribute", return_as or name, target=target, name=name)

    def observed(self, what: Literal["largest", "functions", "printed"]) -> Slot:
        """What was observed of the steps so far, for later steps; it does not come back itself.

        "largest" is the element count of the largest tensor made, "functions" are the names of torch's functions called
        directly, "printed" counts characters. Return only what a check asks of it: equal answers differ in the rest.
        """
        return self.call(self._add("observed"), what, method="__getitem__")

    def keeps_to_itself(self, slot: Slot) -> None:
        """Do not return the value in a slot."""
        del self.returned[slot.number]
        self.steps[slot.number]["tell"] = False

    def train(self, module: Slot, batches: torch.Tensor, rate: float, *, keep: bool = False) -> None:
        """Train a model on batches of texts (steps, batch, tokens + 1) to predict each token from those before it.

        keep: cache the trained model for later cases that begin with the same steps.
        """
        self._add("train", target=module, batches=batches, rate=rate, keep="")
        if keep:
            self.steps[-1]["keep"] = digest_of(wire.pack(self.as_data(), wire.TRUSTED_BYTES)).hex()

    def gradients(self, cotangents: Sequence[torch.Tensor]) -> None:
        """Return the gradients of sum(output * cotangent) for the inputs and the module's parameters.

        Only with this step do the inputs require gradients: NumPy cannot read such tensors, and in-place calls fail on
        them.
        """
        for slot in self.inputs.values():
            self.steps[slot.number]["gradient"] = self.steps[slot.number]["value"].is_floating_point()
        asked = {"of": self.output, "cotangents": list(cotangents), "inputs": dict(self.inputs), "module": self.module}
        self._add("gradients", GRADIENTS, **asked)

    def _handed_in(self, value: Any, name: str = "") -> Any:
        return self.tensor(value, name=name) if isinstance(value, torch.Tensor) else value

    @property
    def effort(self) -> int:
        """How much work there is, in steps."""
        return sum(len(step["batches"]) * STEPS_OF_TRAINING if step["do"] == "train" else 1 for step in self.steps)

    def copied(self) -> Case:
        """A copy that later steps and changes leave alone; tensors are shared."""
        twin = copy(self)  # not dataclasses.replace: a subclass may be made of other arguments
        twin.steps, twin.returned = [dict(step) for step in self.steps], dict(self.returned)
        return twin

    def as_data(self) -> dict[str, Any]:
        """The form in which it is sent."""
        return {"seed": self.seed, "steps": self.steps}


def function(entry: str, *args: Any, axes: str = "", names: Sequence[str] = (), **kwargs: Any) -> Case:
    """Call a function of the learner's; tensor arguments are its inputs, under the parameter names given in `names`.

    `axes` names the axes of the result, separated by blanks: "batch queries keys".
    """
    case = Case(axes=tuple(axes.split()))
    labels = [*names, *(f"argument {i + 1}" for i in range(len(names), len(args)))]
    slots = [case._handed_in(arg, label) for arg, label in zip(args, labels, strict=False)]
    keywords = {name: case._handed_in(arg, name) for name, arg in kwargs.items()}
    case.output = case.call(case.entry(entry), *slots, return_as=OUTPUT, **keywords)
    return case


def module(
    entry: str,
    *init: Any,
    weights: Mapping[str, torch.Tensor],
    inputs: Mapping[str, Any],
    axes: str = "",
    train: bool = False,
    dtype: torch.dtype | None = None,
    seed: int = 0,
    **init_keywords: Any,
) -> Case:
    """Create a module of the learner's class, load weights by name, set the mode and call it.

    `inputs` maps forward's parameter names to what is passed, in order and by position.
    """
    case = Case(axes=tuple(axes.split()), seed=seed)
    case.module = case.call(case.entry(entry), *init, **init_keywords)
    case.load(case.module, weights)
    case.prepare(case.module, train=train, dtype=dtype)
    passed = [case._handed_in(value, name) for name, value in inputs.items()]
    case.output = case.call(case.module, *passed, return_as=OUTPUT)
    return case


def called_again(case: Case, *others: Any, weights: Mapping[str, torch.Tensor] | None = None) -> Case:
    """Call a case's module or function again, on `others` of the same shapes, to show any state kept between calls.

    A module is called again in training too (so nothing in it may be random), and with other `weights` if given.
    """
    first, is_random = list(case.inputs.values()), case.is_random
    if case.module is None:
        assert case.output is not None
        call = case.steps[case.output.number]
        case.call(call["target"], *others, method=call["method"], return_as="the second output", **call["kwargs"])
        case.said = "the function called twice, with other numbers of the same shape"
        return case
    second = [case._handed_in(other) for other in others]
    case.call(case.module, *second, return_as="the second output")
    case.prepare(case.module, train=True)
    case.call(case.module, *first, return_as="the output in training")
    case.call(case.module, *second, return_as="the second output in training")
    case.prepare(case.module)
    if weights is not None:
        case.load(case.module, weights)
        case.call(case.module, *first, return_as="the output with other weights")
    case.is_random = is_random
    case.said = "one module called again, with other numbers of the same shape"
    return case


def digest_of(content: bytes) -> bytes:
    """By what a question is known, and bytes are known to be unchanged: DIGEST_BYTES bytes."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


@dataclass(frozen=True)
class Question:
    """Some cases, packed once: the same bytes are sent to the learner and identify answers in the caches."""

    cases: tuple[Case, ...]
    frame: bytes
    digest: bytes

    @classmethod
    def of(cls, cases: Iterable[Case]) -> Question:
        """Pack some cases."""
        kept = tuple(cases)
        frame = wire.pack({"cases": [case.as_data() for case in kept]}, wire.TRUSTED_BYTES)
        return cls(kept, frame, digest_of(frame))


# --- answers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answers:
    """The returned values of one case by name, and the error that ended it, if any."""

    values: Mapping[str, Any]
    error: Mapping[str, Any] | None = None

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


Name = Annotated[str, AfterValidator(plain_name)]
# pairs are sent as lists
Parameter = Annotated[tuple[list[int], bool], Field(strict=False), AfterValidator(list)]
"""A parameter's shape, and whether it is trained."""
FORMS: Mapping[str, Any] = {
    step: TypeAdapter(form, config=ConfigDict(strict=True, arbitrary_types_allowed=True))
    for step, form in {
        "parameters": dict[Name, Parameter],
        "gradients": dict[Name, torch.Tensor | None],
        "buffers": list[Name],
        "refuses": str,
    }.items()
}
"""The form of the answer, by kind of step."""


def read_answers(reply: Any, cases: Sequence[Case]) -> list[Answers]:
    """Check the form of a reply to these cases. Raises WireError when it is invalid."""
    if not isinstance(reply, list) or len(reply) != len(cases):
        raise WireError(NOT_AN_ANSWER)
    return [_read(item, case) for item, case in zip(reply, cases, strict=True)]


def _read(item: Any, case: Case) -> Answers:
    if not isinstance(item, dict) or item.keys() != {"answers", "error"} or not isinstance(item["answers"], dict):
        raise WireError(NOT_AN_ANSWER)
    if item["error"] is not None:
        return Answers({}, read_error(item["error"]))
    values = {}
    for number, name in case.returned.items():
        if str(number) not in item["answers"]:
            raise WireError(NOT_AN_ANSWER)
        value, form = item["answers"][str(number)], FORMS.get(case.steps[number]["do"])
        try:
            values[name] = form.validate_python(value) if form else value
        except ValidationError:
            raise WireError(NOT_AN_ANSWER) from None  # without its text, which quotes what the learner's code sent
    return Answers(values)


def same_answers(came: Answers, other: Answers) -> bool:
    """Whether two answers to a case are indistinguishable: same numbers, same shapes, same kind of error."""
    if came.error is not None and other.error is not None:
        return error_identity(came.error) == error_identity(other.error)
    if came.error is not None or other.error is not None or came.values.keys() != other.values.keys():
        return False
    return all(_same_value(name, came[name], value) for name, value in other.values.items())


def _same_value(name: str, came: Any, other: Any) -> bool:
    if name != GRADIENTS or not isinstance(other, Mapping):
        return same(came, other)
    # a gradient that reaches more than it should makes no difference to a check, but it is another answer
    return not gradients_difference(came, other) and all(came[part] is None for part in other if other[part] is None)


@dataclass(frozen=True)
class Exchange:
    """One question and the answers to it: a learner's, or, in a plan, the reference's."""

    question: Question
    answers: list[Answers]


Answering = Callable[[Sequence[Case]], Exchange]
"""Answers the next question, made of these cases."""

Ask = Callable[..., list[Answers]]
"""Asks one question, made of its cases, and returns an answer to each; raises Ended when one is an error."""


class Ended(Exception):
    """The code asked ended with an error: the only argument."""


@dataclass(kw_only=True)
class Talk(Case):
    """A case of several questions, a later one depending on earlier answers: its answers are what is read from theirs.

    read: asks them, and returns plain values, the same for the same answers. It draws no random numbers, since it is
    run again for every known mistake. asked: what the learner's code was asked.
    """

    read: Callable[[Ask], Mapping[str, Any]]
    asked: list[Case] = field(default_factory=list)

    @property
    def effort(self) -> int:
        """How much work there is, in steps."""
        return sum(case.effort for case in self.asked)

    @property
    def question(self) -> Question:
        """It as a question, which is never sent."""
        return Question((self,), b"", b"")

    def read_from(self, answer: Callable[[Sequence[Case]], list[Answers]]) -> Answers:
        """The reading of whoever gives these answers. Of the answers nothing else is kept."""

        def ask(*cases: Case) -> list[Answers]:
            answers = answer(cases)
            for each in answers:
                if each.error is not None:
                    raise Ended(each.error)
            return answers

        try:
            return Answers(self.read(ask))
        except Ended as ended:
            return Answers({}, *ended.args)
