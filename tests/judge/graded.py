"""Grading in these tests: a judge gets sources for one exercise, `share`, and there is a record of each."""

from __future__ import annotations

from pathlib import Path

from grader.course import Course, load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge
from grader.record import ExerciseResult, Record

CHECKS = '''
import torch
from grader.judge.authoring import Case, expect, function, points

def through_a_layer(draw):
    asked = Case()
    result = asked.call(asked.entry("share"), asked.tensor(draw.uniform(2, 3, low=1.0, high=3.0), name="amounts"))
    asked.output = asked.call(asked.library_module("Identity"), result, return_as="output")
    return asked

def case(draw, **options):
    return function("share", draw.uniform(2, 3, low=1.0, high=3.0), names=["amounts"], axes="rows columns", **options)

@points(0.5, visible=True)
def test_visible(learner):
    """Two halves."""
    (output,) = learner.outputs(function("share", torch.ones(2), names=["amounts"]))
    expect(torch.allclose(output, torch.ones(2) / 2), "Two equal amounts are a half each.")

@points(1, role="main")
def test_main(learner, draw):
    """The main thing."""
    learner.agrees(case(draw), case(draw))

@points(0.5)
def test_gradients(learner, draw):
    """Gradients flow."""
    learner.agrees_in_gradients(case(draw))

@points(0.5)
def test_behaviour(learner, draw):
    """Every output is positive."""
    (output,) = learner.outputs(through_a_layer(draw))
    expect(bool((output > 0).all()), "Some numbers are not positive.")

@points(0.5)
def test_depends_on_the_answer(learner, draw):
    """What comes out may be put in again."""
    (output,) = learner.outputs(case(draw))
    learner.agrees(function("share", output + draw.uniform(2, 3, low=0.5), names=["amounts"]))

@points(0.5, role="manners")
def test_manners(learner, draw):
    """The input is left alone."""
    learner.keeps_inputs(case(draw))

@points(0.5, role="repair")
def test_repair(learner):
    """The change is small."""
    learner.repaired_with(removed=9, added=3)
'''
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
"""A mistake of the bank's: whole-sum."""


def with_checks(root: Path, checks: str) -> Course:
    """The course in a folder, with these checks for its exercise `share`."""
    (root / "tests" / "kits" / "01_parts" / "01_share" / "checks.py").write_text(checks)
    return load_course(root / "course.yml")


def submission(source: str, exercise: str = "share") -> Submission:
    return Submission("someone", {exercise: SourceFile(exercise, f"{exercise}.py", source.encode())}, ())


def graded(judge: Judge, *sources: str, exercise: str = "share") -> list[Record]:
    """A record of each source."""
    records: list[Record] = []
    judge.grade([submission(source, exercise) for source in sources], records.append)
    return records


def result(judge: Judge, source: str, exercise: str = "share") -> ExerciseResult:
    """What one source comes to in its exercise."""
    (record,) = graded(judge, source, exercise=exercise)
    return next(each for each in record.exercises if each.id == exercise)
