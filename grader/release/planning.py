"""Makes the plans in a wheel without answers: what checks ask, what is expected, and what known mistakes answer.

A check asks wrong code what it asks the reference, which `kata verify` holds it to. So running the checks on the
reference gives all questions. The mistakes' code is not stored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from grader.course import FILE_NAME, Course, load_course
from grader.judge.answers import Answers, same_answers
from grader.judge.checks import Kit
from grader.judge.expected import Expected, quietly
from grader.judge.plan import AS_REFERENCE, KnownMistake, Print, Wrong
from grader.judge.plan_file import file_of, fingerprint, identity
from grader.judge.rehearsal import expected_of

FEW_EXERCISES = 4
"""Up to this many exercises are planned in this process: starting another takes longer."""


def plans_of(course: Course, seed: int, advance: Callable[[str], None]) -> dict[str, bytes]:
    """The plans of all exercises by their path in the course; `advance` is called with each exercise.

    Raises GraderBroken for unusable checks or mistakes.
    """
    tasks = [(course.root, each.id, seed) for each in course.exercises]
    plans = {}
    for exercise, content in zip(course.exercises, _in_processes(tasks), strict=True):
        plans[course.plan_path(exercise).relative_to(course.root).as_posix()] = content
        advance(exercise.id)
    return plans


_Task = tuple[Path, str, int]


def _in_processes(tasks: Sequence[_Task]) -> Iterator[bytes]:
    processes = min(os.cpu_count() or 1, len(tasks))
    if len(tasks) <= FEW_EXERCISES or processes == 1:
        yield from map(_planned, tasks)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_planned, tasks)


def _planned(task: _Task) -> bytes:
    """The plan of one exercise."""
    root, id, seed = task
    course = load_course(root / FILE_NAME)
    kit = Kit(course, course.exercise(id))
    with quietly():
        expected = expected_of(kit, seed)
        return file_of(replace(expected.plan, wrong=_wrong(expected)), identity(kit, seed))


def _wrong(expected: Expected) -> Wrong:
    """What wrong answers will be compared with. If all checks of the exercise train a model, it has no mistakes."""
    questions = {question.digest: question for question in expected.plan.questions}
    wrong = Wrong({digest: expected.slack(question) for digest, question in questions.items()})
    places: dict[str, int] = {}
    for mistake, module in expected.code.mistakes if expected.code and questions else ():
        known = KnownMistake(mistake.id, mistake.message)
        for digest, question in questions.items():
            right = expected.answers_to(question)
            known.answers[digest] = [
                _place_of(answer, one, wrong.prints, places)
                for answer, one in zip(module.answer(question), right, strict=True)
            ]
        module.forget()
        wrong.mistakes.append(known)
    return wrong


def _place_of(answer: Answers, expected: Answers, prints: list[Print], places: dict[str, int]) -> int:
    """The place of an answer's print; many mistakes share answers."""
    if same_answers(answer, expected):
        return AS_REFERENCE
    kept = fingerprint(answer)
    place = places.setdefault(repr(kept), len(prints))
    if place == len(prints):
        prints.append(kept)
    return place
