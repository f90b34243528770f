"""Makes the plans in a bundle: what its checks ask, what is expected, and what each known mistake answers.

A check asks wrong code what it asks the reference, which `kata verify` holds it to. So running the checks on the
reference gives all questions. The mistakes' code is not stored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from grader.course import FILE_NAME, Course, Exercise, load_course
from grader.judge.answers import Answers, same_answers
from grader.judge.case import Question
from grader.judge.checks import Check, Kit
from grader.judge.draw import COMMON, Draw, Kind
from grader.judge.expected import GivesAnswers
from grader.judge.fingerprint import Print, fingerprint
from grader.judge.grading import Judge
from grader.judge.kept import packed_expected, shortened
from grader.judge.plan import key_of_shapes, rehearse
from grader.judge.plan_file import AS_REFERENCE, Drawn, KnownMistake, PlanFile, PlannedDraws, digest_of_text
from grader.judge.trusted import Expected, quietly

FEW_EXERCISES = 4
"""Up to this many exercises are planned in this process: starting another takes longer."""


def plans_of(
    course: Course, seeds: Sequence[int], advance: Callable[[str], None]
) -> Iterator[tuple[Exercise, int, bytes]]:
    """The plans of all exercises with each seed; `advance` is called with each exercise.

    Raises GraderBroken for unusable checks or mistakes.
    """
    tasks = [(course.root, each.id, tuple(seeds)) for each in course.exercises]
    for exercise, files in zip(course.exercises, _in_processes(tasks), strict=True):
        for seed, content in zip(seeds, files, strict=True):
            yield exercise, seed, content
        advance(exercise.id)


_Task = tuple[Path, str, tuple[int, ...]]


def _in_processes(tasks: Sequence[_Task]) -> Iterator[list[bytes]]:
    processes = min(os.cpu_count() or 1, len(tasks))
    if len(tasks) <= FEW_EXERCISES or processes == 1:
        yield from map(_planned, tasks)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_planned, tasks)


def _planned(task: _Task) -> list[bytes]:
    """The plans of one exercise."""
    root, id, seeds = task
    judge = Judge(load_course(root / FILE_NAME), "none", 0, [id])
    checks = judge.checks_of(id)
    with quietly():
        return [_Planning(judge.kits[id], checks, seed).plan() for seed in seeds]


class _Planning:
    """Makes the plan of one exercise with one seed."""

    def __init__(self, kit: Kit, checks: Sequence[Check], seed: int) -> None:
        course, exercise = kit.course, kit.exercise
        self._exercise, self._stub, self._checks, self._seed = exercise, kit.stub, checks, seed
        answers = course.solution_path(exercise), course.mistakes_path(exercise)
        self._expected = _RecordedExpected(Expected(*answers))
        self._paths = course.checks_path(exercise), *answers

    def plan(self) -> bytes:
        """Encode the plan. If all checks of the exercise train a model, it contains no mistakes."""
        plan = rehearse(self._checks, self._expected, self._exercise.id, self._seed, self._stub)
        texts = [path.read_text("utf-8") for path in self._paths]
        file = PlanFile(
            self._exercise.id,
            self._seed,
            digest_of_text(texts[0]),
            digest_of_text(*texts),
            draws=self._expected.draws,
            expected={digest.hex(): self._packed(question) for digest, question in self._expected.questions.items()},
        )
        if any(check.is_rehearsed for check in plan.checks.values()):
            self._add_mistakes(file, {question.digest: question for question in plan.questions()})
        return file.to_bytes()

    def _packed(self, question: Question) -> bytes:
        return packed_expected(self._expected.whole.answers_to(question), self._expected.whole.slack(question))

    def _add_mistakes(self, file: PlanFile, asked: Mapping[bytes, Question]) -> None:
        places: dict[str, int] = {}
        for mistake, module in self._expected.whole.mistakes:
            known = KnownMistake(mistake.id, mistake.message)
            for digest, question in asked.items():
                right = self._expected.whole.answers_to(question)
                known.answers[digest.hex()] = [
                    _place_of(answer, one, file.prints, places)
                    for answer, one in zip(module.answer(question), right, strict=True)
                ]
            file.mistakes.append(known)


def _place_of(answer: Answers, expected: Answers, prints: list[Print], places: dict[str, int]) -> int:
    """The index of an answer's fingerprint; many mistakes share answers."""
    if same_answers(answer, expected):
        return AS_REFERENCE
    kept = fingerprint(answer)
    place = places.setdefault(repr(kept), len(prints))
    if place == len(prints):
        prints.append(kept)
    return place


class _RecordedExpected:
    """Asks the reference, and records questions and draws."""

    is_plan = False

    def __init__(self, whole: Expected) -> None:
        self.whole = whole
        self.mistakes = whole.mistakes
        self.questions: dict[bytes, Question] = {}
        self.draws: dict[str, PlannedDraws] = {}

    def draw(self, seed: int, exercise: str, check: str) -> Draw:
        return _Noted(Draw(seed, exercise, check, self.whole.reference.namespace), self.draws, check)

    def answers_to(self, question: Question) -> list[Answers]:
        self.questions[question.digest] = question
        return self.whole.answers_to(question)

    def slack(self, question: Question) -> list[Answers]:
        return self.whole.slack(question)

    def pair(self, one: int, other: int) -> GivesAnswers | None:
        return self.whole.pair(one, other)


class _Noted(Draw):
    """Draws and records numbers at reduced precision, to save space; the longest of several runs is kept."""

    def __init__(self, source: Draw, all_kept: dict[str, PlannedDraws], check: str) -> None:
        self._source = source
        self._all_kept = all_kept
        self._kept = all_kept.setdefault(check, PlannedDraws())
        self._drawn: list[Drawn] = []

    def common(self) -> Draw:
        return _Noted(self._source.common(), self._all_kept, COMMON)

    def _numbers(self, kind: Kind, *sizes: int) -> torch.Tensor:
        numbers = shortened(self._source._numbers(kind, *sizes), kind)
        self._drawn.append((kind, sizes, numbers.clone()))
        if len(self._drawn) > len(self._kept.drawn):
            self._kept.drawn = self._drawn
        return numbers

    def _shapes(self, entry: str, init: Sequence[Any], keywords: Mapping[str, Any]) -> Mapping[str, Sequence[int]]:
        shapes = {name: list(shape) for name, shape in self._source._shapes(entry, init, keywords).items()}
        self._kept.shapes[key_of_shapes(entry, init, keywords)] = shapes
        return shapes
