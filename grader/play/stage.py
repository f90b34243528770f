"""Where a learner's file plays: behind the wall, as in a check. It is asked, and what comes back is a claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import torch

from grader.course import Exercise
from grader.judge.answers import Answers, Malformed, read_answers
from grader.judge.case import Case, Question
from grader.judge.compare import form_difference
from grader.judge.errors import CheckFailed
from grader.judge.failure import error_text
from grader.judge.process import LocalProcess, WalledProcess
from grader.sandbox.launch import Launched
from grader.sandbox.levels import Level
from grader.sandbox.sandbox import AnySandbox, open_sandbox

OUT = "out"


class Stopped(Exception):
    """The learner's code could not go on; the text is for the learner."""


class Stage:
    """One learner's file for one exercise, asked by one scene after another.

    Each act has the budget of a check: `begin` starts one, in a new process.
    """

    def __init__(self, exercise: Exercise, source: bytes, level: Level, launched: Launched | None = None) -> None:
        self.exercise = exercise
        self._source = source
        self._sandbox: AnySandbox | None = None if level == "none" else open_sandbox(level, launched)
        self._process = self._started()

    def begin(self) -> None:
        """Start an act, with a budget of its own."""
        self._process.close()
        self._process = self._started()

    def _started(self) -> WalledProcess | LocalProcess:
        if self._sandbox is None:
            return LocalProcess(self.exercise, self._source)
        process = WalledProcess(self.exercise, self._source, self._running_sandbox)
        process.start()
        return process

    def _running_sandbox(self) -> AnySandbox:
        assert self._sandbox is not None
        return self._sandbox

    def ask(self, *cases: Case) -> list[Answers]:
        """What the learner's code answers. Raises Stopped when it fails, MachineError when the wall does."""
        try:
            answers = read_answers(self._process.ask(Question.of(cases)), cases)
        except CheckFailed as failure:
            raise Stopped(str(failure)) from None
        except Malformed:
            raise Stopped("Your code sent no readable answer.") from None
        for answer in answers:
            if answer.error is not None:
                lines = self._process.text.splitlines()
                raise Stopped(error_text(answer.error, lines, self._process.reason, hide_numbers=False))
        return answers

    def tensors(self, case: Case, shapes: Sequence[Sequence[int]], dtype: torch.dtype) -> list[torch.Tensor]:
        """The tensors that a case tells, each in its form. Raises as `ask`, and Stopped for another form."""
        (answers,) = self.ask(case)
        return [formed(answers[name], shape, dtype) for name, shape in zip(case.told.values(), shapes, strict=True)]

    def close(self) -> None:
        """End the process and the wall."""
        with suppress(Exception):
            self._process.close()
        if self._sandbox is not None:
            self._sandbox.close()


def formed(value: Any, shape: Sequence[int], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A claim, as a tensor of that form. Raises Stopped for anything else."""
    wrong = form_difference(value, torch.empty(tuple(shape), dtype=dtype), what="The output")
    if wrong:
        raise Stopped(wrong)
    assert isinstance(value, torch.Tensor)
    return value


Ask = Callable[..., list[Answers]]
