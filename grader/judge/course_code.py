"""The course's own code for an exercise, run in this process: the reference and the known mistakes, alone and in pairs.

They are asked exactly as the learner is.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from grader.sandbox.inside import host, wire

from .bank import Mistake, both_from, load_bank
from .questions import Answers, Case, Question, Talk, read_answers, same_answers


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Suppress warnings and standard output."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


# One thread, as in a worker: the same sums in the same order, and no threads waiting for each other when several judges
# share the machine.
torch.set_num_threads(1)

MAX_CACHED_QUESTIONS = 200
"""Of one file: in a class every submission is asked the same, far fewer."""

MAX_CACHED_PAIRS = 500
"""The largest bank has twelve times as many, and each pair keeps its text, its names and its answers."""

ROUNDING_STEPS = 4.0


class TrustedModule:
    """A file of the course, run in this process, that answers questions and caches its answers."""

    def __init__(self, source: str, name: str) -> None:
        self._source = source
        self._name = name
        self._answers: dict[bytes, list[Answers]] = {}

    @cached_property
    def namespace(self) -> Mapping[str, Any]:
        """The file's namespace. No traceback or warning can quote the file."""
        with quietly():
            try:
                return host.load(self._source, self._name)
            finally:
                linecache.cache.pop(self._name, None)

    def answer(self, question: Question) -> list[Answers]:
        """The answers to a question, from the cache if possible.

        Its cases are run one after another, as the learner's file runs them: it may remember. A talk stands alone.
        """
        if isinstance(talk := question.cases[0], Talk):
            return [talk.read_from(lambda cases: self.answer(Question.of(cases)))]
        if question.digest not in self._answers:
            if len(self._answers) >= MAX_CACHED_QUESTIONS:
                self.forget()
            self._answers[question.digest] = self._run(question.cases, [each.as_data() for each in question.cases])
        return self._answers[question.digest]

    def forget(self) -> None:
        """Drop all cached answers."""
        self._answers.clear()

    def answer_rounded(self, question: Question) -> list[Answers]:
        """The answers with a few roundings of error in every input, to see how far the result may move."""
        generator = torch.Generator().manual_seed(1)
        return [self._run([case], [_perturbed(case.as_data(), generator)])[0] for case in question.cases]

    def gives(self, came: Answers, question: Question, number: int) -> bool:
        """Whether a learner's answer to one case of a question equals this file's."""
        return same_answers(came, self.answer(question)[number])

    def _run(self, cases: Sequence[Case], data: Sequence[Mapping[str, Any]]) -> list[Answers]:
        namespace = self.namespace
        with quietly():
            replies = host.run_question({"cases": data}, namespace, self._name)
        try:
            # encode and decode, so that both sides of a comparison have the same types
            return read_answers(wire.copied(replies), cases)
        except wire.WireError:  # a mistake whose answer no worker could send
            return [Answers({}, {"kind": "too_large", "step": -1})] * len(cases)


def _perturbed(value: Any, generator: torch.Generator) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        noise = torch.rand(value.shape, generator=generator, dtype=torch.float64) * 2 - 1
        # float64 is compared at float32's precision too, so it is rounded like float32 here
        precision = max(torch.finfo(value.dtype).eps, torch.finfo(torch.float32).eps)
        return (value.double() * (1 + ROUNDING_STEPS * precision * noise)).to(value.dtype)
    if isinstance(value, dict):
        return {key: _perturbed(item, generator) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_perturbed(item, generator) for item in value)
    return value


class CourseCode:
    """The course's own code for one exercise: the reference, and the known mistakes alone and in pairs."""

    def __init__(self, solution: Path, bank: Path) -> None:
        self._text = solution.read_text(encoding="utf-8")
        self._bank = bank
        self.reference = TrustedModule(self._text, f"reference {solution.stem}")
        self._pairs: dict[tuple[int, int], TrustedModule | None] = {}

    @cached_property
    def mistakes(self) -> tuple[tuple[Mistake, TrustedModule], ...]:
        """The known mistakes, ready to be asked. Raises GraderBroken for an unusable bank."""
        return tuple(
            (each, TrustedModule(each.source_from(self._text), f"mistake {each.id}")) for each in load_bank(self._bank)
        )

    def forget(self) -> None:
        """Drop all cached answers: those of another seed are never used again."""
        self._pairs.clear()
        self.reference.forget()
        for _, module in self.__dict__.get("mistakes", ()):  # only if they were loaded
            module.forget()

    def both(self, place: int, other_place: int) -> TrustedModule | None:
        """Two known mistakes combined, by their places; None where they do not go together."""
        if (place, other_place) in self._pairs:
            return self._pairs[place, other_place]
        made = self._combined(place, other_place)
        if len(self._pairs) < MAX_CACHED_PAIRS:  # none makes room: they are asked in the same order again and again
            self._pairs[place, other_place] = made
        return made

    def _combined(self, place: int, other_place: int) -> TrustedModule | None:
        one, other = self.mistakes[place][0], self.mistakes[other_place][0]
        text = both_from(one, other, self._text)
        if text is None:
            return None
        module = TrustedModule(text, "two mistakes")
        try:
            return module if module.namespace else None
        except Exception:  # two edits that do not go together, though the text is Python
            return None
