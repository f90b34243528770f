"""Scaffolds a new exercise's kit: its files, and its entry in course.yml. `kata verify` refuses what is left TODO."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.course import Course, Exercise, Unit
from grader.course.loading import read_source
from grader.course.stubs import make_stub
from grader.files import write_file

SOLUTION = '''\
"""{new.title}: TODO what it is, in a sentence.

    x        (n, d)  TODO what goes in
    returns  (n, d)  TODO what has to come out

Document: {new.document}, TODO the step that it mirrors.

    >>> {new.id}(torch.tensor([[1.0, 2.0]]))
    tensor([[1., 2.]])
"""

import torch


def {new.id}(x: torch.Tensor) -> torch.Tensor:
    # BEGIN SOLUTION
    return x.clone()
    # END SOLUTION
'''

CHECKS = '''\
import torch

from grader.judge.authoring import expect, function, points


@points(1, visible=True)
def test_example(learner):
    """TODO: [1, 2] becomes what the document says."""
    (came,) = learner.outputs(function("{new.id}", torch.tensor([[1.0, 2.0]])))
    expect(came.tolist() == [[1.0, 2.0]], "[1, 2] should become [1, 2].")


@points(2, role="main")
def test_agrees_with_the_reference(learner, draw):
    """TODO: the sentence that a learner reads when this check fails or passes."""
    rows, columns = draw.distinct(2, 2, 9)
    learner.agrees(
        function("{new.id}", draw.normal(rows, columns), axes="rows columns"),
        function("{new.id}", draw.normal(columns, columns), axes="rows columns"),
    )


@points(1, role="manners")
def test_input_stays(learner, draw):
    """What was passed in is not changed."""
    learner.keeps_inputs(function("{new.id}", draw.normal(3, 4), names=["x"]))
'''

MISTAKES = """\
from grader.judge.authoring import Mistake

# At least three, each of them a wrong answer that people really give. For example:
MISTAKES = [
    Mistake(
        "transposed",
        "You turned rows and columns round. TODO: say what a learner probably did, and what to look at.",
        edits=[("x.clone()", "x.T.clone()")],
    ),
]
"""

ALTERNATIVES = """\
# At least three right answers, each written differently: loops, einsum, the library. Each is the reference with
# other definitions; its imports are there. For example:
#     "row_by_row": '''\\
# def ...
# ''',
ALTERNATIVES = {}
"""

BLOCK = """\
- id: {new.id}
  number: {new.number}
  kind: implement
  title: "{new.title}"
  points: 4
  requires: [{new.requires[0]}]
  document: {new.document}
  step: "TODO which step of the document this is"
  entry_points: [{new.id}]
  hints:
    - TODO what should a learner ask themselves first?
    - TODO what has to be done, in words?
    - TODO almost the code.
"""

CLOSING = "\n## Try this\n"

SECTION = """
## {new.number:02d} {new.title}

*Exercise `{new.id}`, file `{new.number:02d}_{new.id}.py`*

TODO the idea in a few plain sentences, the formula, the shapes, a number worked by hand.

Source: TODO the document and its step.
"""


def new_exercise(unit: Unit, id: str, title: str) -> Exercise:
    """A new exercise, numbered after the last one of its unit and requiring that; the rest is as with that one."""
    last = unit.exercises[-1]
    number = max(exercise.number for exercise in unit.exercises) + 1
    written = {"id": id, "number": number, "unit": unit.folder, "title": title, "requires": (last.id,)}
    return last.model_copy(update=written)


def write_scaffold(course: Course, new: Exercise) -> Iterator[Path]:
    """Write the files of a kit and add the exercise to course.yml and the lesson; yield each path.

    Raises FileExistsError, before anything is written, when one of the files exists.
    """
    unit = next(unit for unit in course.units if unit.folder == new.unit)
    solution = SOLUTION.format(new=new)
    files = {
        course.solution_path(new): solution,
        course.stub_path(new): make_stub(solution),
        course.checks_path(new): CHECKS.format(new=new),
        course.mistakes_path(new): MISTAKES,
        course.alternatives_path(new): ALTERNATIVES,
    }
    for path in files:
        if path.exists():
            raise FileExistsError(path)
    catalogue, lesson = course.root / "course.yml", course.lesson_path(unit)
    files[catalogue] = _entered(catalogue, course, unit, BLOCK.format(new=new))
    # before the lesson's closing part, if there is one
    before, closing, after = lesson.read_text("utf-8").partition(CLOSING)
    files[lesson] = before.rstrip("\n") + "\n" + SECTION.format(new=new) + closing + after
    for path, text in files.items():
        write_file(path, text.encode("utf-8"), below=course.root)
        yield path


def _entered(catalogue: Path, course: Course, unit: Unit, block: str) -> str:
    """The text of course.yml with a block after the last exercise of a unit; everything else is unchanged."""
    places = read_source(catalogue).lines  # line numbers, counted from 1
    here = ("units", course.units.index(unit))
    place = (*here, "exercises", len(unit.exercises) - 1)
    last = places[place]
    lines = catalogue.read_text("utf-8").splitlines(keepends=True)
    # only where units and what follows them begin: what an anchor names lies elsewhere too
    begins = (line for other, line in places.items() if len(other) <= len(here) and line > last)
    end = min(begins, default=len(lines) + 1) - 1
    while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
        end -= 1  # blank lines and comments belong to what follows
    margin = lines[last - 1][: lines[last - 1].index("-")]
    return "".join([*lines[:end], *(margin + line for line in block.splitlines(keepends=True)), *lines[end:]])
