"""Scaffolds a new exercise's kit: its files, and its entry in course.yml. `kata verify` then says what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course, Unit
from grader.course.source import read_source
from grader.course.stubs import make_stub
from grader.files import write_file

SOLUTION = '''\
"""{title}: what it is, in a sentence.

    x        (n, d)  what goes in
    returns  (n, d)  what has to come out

Document: {document}, the step that it mirrors.

    >>> {id}(torch.tensor([[1.0, 2.0]]))
    tensor([[1., 2.]])
"""

import torch


def {id}(x: torch.Tensor) -> torch.Tensor:
    # BEGIN SOLUTION
    return x.clone()
    # END SOLUTION
'''

CHECKS = '''\
import torch

from grader.judge.authoring import expect, function, points


@points(1, visible=True)
def test_example(learner):
    """[1, 2] becomes what the document says."""
    (came,) = learner.outputs(function("{id}", torch.tensor([[1.0, 2.0]])))
    expect(came.tolist() == [[1.0, 2.0]], "[1, 2] should become [1, 2].")


@points(2, role="main")
def test_agrees_with_the_reference(learner, draw):
    """The sentence that a learner reads when this check fails or passes."""
    rows, columns = draw.distinct(2, 2, 9)
    learner.agrees(
        function("{id}", draw.normal(rows, columns), axes="rows columns"),
        function("{id}", draw.normal(columns, columns), axes="rows columns"),
    )


@points(1, role="manners")
def test_input_stays(learner, draw):
    """What was passed in is not changed."""
    learner.keeps_inputs(function("{id}", draw.normal(3, 4), names=["x"]))
'''

MISTAKES = """\
from grader.judge.authoring import Mistake

# At least three, each of them a wrong answer that people really give. For example:
MISTAKES = [
    Mistake(
        "transposed",
        "You turned rows and columns round. Say what a learner probably did, and what to look at.",
        caught_by="test_agrees_with_the_reference",
        edits=[("x.clone()", "x.T.clone()")],
    ),
]
"""

ALTERNATIVES = """\
# At least three right answers, each written differently: loops, einsum, the library. For example:
#     "row_by_row": '''\\
# import torch
# ...
# ''',
ALTERNATIVES = {}
"""

BLOCK = """\
- id: {id}
  number: {number}
  kind: implement
  title: "{title}"
  points: 4
  requires: [{requires}]
  document: {document}
  step: "which step of the document this is"
  entry_points: [{id}]
  hints:
    - What should a learner ask themselves first?
    - What has to be done, in words?
    - Almost the code.
"""

PLACEHOLDERS = (
    *("what it is, in a sentence.", "(n, d)  what goes in", "(n, d)  what has to come out"),
    *(", the step that it mirrors.", "[1, 2] becomes what the document says."),
    *("The sentence that a learner reads when this check fails or passes.",),
    *("Say what a learner probably did, and what to look at.", "which step of the document this is"),
    *("What should a learner ask themselves first?", "What has to be done, in words?", "Almost the code."),
    *("the idea in a few plain sentences, the formula, a table of shapes",),
)
"""Texts of the scaffold that the author has to replace: `kata verify` refuses them."""

CLOSING = "\n## Try this\n"

SECTION = """
## {number:02d} {title}

`{id}`: the idea in a few plain sentences, the formula, a table of shapes, a worked number, the document's step.
"""


@dataclass(frozen=True)
class NewExercise:
    """A new exercise to be scaffolded."""

    id: str
    title: str
    unit: Unit

    @property
    def number(self) -> int:
        """Its number: after the last one of its unit."""
        return max(exercise.number for exercise in self.unit.exercises) + 1

    @property
    def stem(self) -> str:
        """The name of its file, without the extension, and of its kit's folder."""
        return f"{self.number:02d}_{self.id}"

    @property
    def path(self) -> str:
        """Its file within `exercises` and `solutions`."""
        return f"{self.unit.folder}/{self.stem}.py"


def write_scaffold(course: Course, new: NewExercise) -> Iterator[Path]:
    """Write the files of a kit and add the exercise to course.yml and the lesson; yield each path.

    Raises FileExistsError, before anything is written, when one of the files exists.
    """
    last = new.unit.exercises[-1]
    names = {
        "id": new.id,
        "title": new.title,
        "number": new.number,
        "document": last.document,
        "requires": last.id,
    }
    solution = SOLUTION.format(**names)
    kit = course.root / "tests" / "kits" / new.unit.folder / new.stem
    files = {
        course.root / "solutions" / new.path: solution,
        course.root / "exercises" / new.path: make_stub(solution),
        kit / "checks.py": CHECKS.format(**names),
        kit / "mistakes.py": MISTAKES,
        kit / "alternatives.py": ALTERNATIVES,
    }
    for path in files:
        if path.exists():
            raise FileExistsError(path)
    catalogue = course.root / "course.yml"
    entered = _entered(catalogue, course, new.unit, BLOCK.format(**names))
    for path, text in files.items():
        write_file(path, text.encode("utf-8"), below=course.root)
        yield path
    write_file(catalogue, entered.encode("utf-8"), below=course.root)
    yield catalogue
    lesson = course.lesson_path(new.unit)
    text = _with_section(lesson.read_text("utf-8"), SECTION.format(**names))
    write_file(lesson, text.encode("utf-8"), below=course.root)
    yield lesson


def _with_section(lesson: str, section: str) -> str:
    """The lesson with the section added before its closing part, if there is one."""
    before, closing, after = lesson.partition(CLOSING)
    return before.rstrip("\n") + "\n" + section + closing + after


def _entered(catalogue: Path, course: Course, unit: Unit, block: str) -> str:
    """The text of course.yml with a block after the last exercise of a unit; everything else is unchanged."""
    places = read_source(catalogue).lines  # line numbers, counted from 1
    here = ("units", course.units.index(unit))
    place = (*here, "exercises", len(unit.exercises) - 1)
    last = places[place]
    lines = catalogue.read_text("utf-8").splitlines(keepends=True)
    end = min((line - 1 for other, line in places.items() if other[:2] != here and line > last), default=len(lines))
    while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
        end -= 1  # blank lines and comments belong to what follows
    margin = lines[last - 1][: lines[last - 1].index("-")]
    return "".join([*lines[:end], *(margin + line for line in block.splitlines(keepends=True)), *lines[end:]])
