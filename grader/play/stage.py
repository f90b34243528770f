"""Runs a learner's file for `kata play` behind the wall, as in a check. What comes back is an unchecked claim."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import torch

from grader.course import Exercise
from grader.judge.answers import Answers, Malformed, read_answers
from grader.judge.case import Case, Question
from grader.judge.compare import form_difference
from grader.judge.failure import error_text
from grader.judge.faults import CheckFailed
from grader.judge.process import LocalProcess, WalledProcess
from grader.sandbox.levels import Launched, Level
from grader.sandbox.sandbox import open_sandbox


class Stopped(Exception):
    """The learner's code failed; the message is for the learner."""


class Stage:
    """One learner's file for one exercise, used by one scene after another.

    Each call of `begin` starts a new process with the time budget of one check.
    """

    def __init__(self, exercise: Exercise, source: bytes, level: Level, launched: Launched | None = None) -> None:
        self.exercise = exercise
        self.source = source
        self._sandbox = None if level == "none" else open_sandbox(level, launched)
        self._process = self._started()

    def begin(self) -> None:
        """Start a new process with a fresh time budget."""
        self._process.close()
        self._process = self._started()

    def _started(self) -> WalledProcess | LocalProcess:
        sandbox = self._sandbox
        if sandbox is None:
            return LocalProcess(self.exercise, self.source)
        process = WalledProcess(self.exercise, self.source, lambda: sandbox)
        process.start()
        return process

    def ask(self, *cases: Case) -> list[Answers]:
        """Run cases; return the answers. Raises Stopped if the learner's code fails, MachineError if the wall does."""
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
        """The tensors that a case returns, each checked for its shape. Raises as `ask`; Stopped for a wrong shape."""
        (answers,) = self.ask(case)
        return [formed(answers[name], shape, dtype) for name, shape in zip(case.returned.values(), shapes, strict=True)]

    def close(self) -> None:
        """End the process and the wall."""
        with suppress(Exception):
            self._process.close()
        if self._sandbox is not None:
            self._sandbox.close()


def formed(value: Any, shape: Sequence[int], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Check that a value is a tensor of this shape and dtype. Raises Stopped for anything else."""
    wrong = form_difference(value, torch.empty(tuple(shape), dtype=dtype), what="The output")
    if wrong:
        raise Stopped(wrong)
    assert isinstance(value, torch.Tensor)
    return value
