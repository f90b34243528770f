"""The hidden checks of an exercise: pytest functions of `learner`, or of `learner` and `draw`, read from its kit once.

They are collected as pytest would (functions named `test_...`, in the order of the file) and called one after another:
pytest itself would cost every submission more than the checks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Literal

import pytest

from grader.course import Course, Exercise
from grader.course.stubs import stub_of

from .bank import names_in
from .course_code import CourseCode
from .faults import GraderBroken, place

if TYPE_CHECKING:
    from .draw import Draw
    from .learner import LearnerModule


CHECK_ERRORS = (Exception, pytest.fail.Exception, pytest.skip.Exception)
"""Everything that a check may raise; these of pytest's are not subclasses of Exception."""

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
