"""A class hands in unit 1, and the real `nbgrader autograde` gives everybody what is theirs, whatever they tried."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from grader.course import load_course
from grader.record import Record

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(900),
]  # the class is graded twice, once by nbgrader and once by `kata grade-class`

ROOT = Path(__file__).parents[2]
COURSE = load_course(ROOT / "course.yml")
UNIT = COURSE.units[0].folder
EXERCISES = COURSE.units[0].exercises
IDS = [exercise.id for exercise in EXERCISES]
WORTH = {f"test-{exercise.id}": exercise.points for exercise in EXERCISES}
RIGHT = {exercise.id: COURSE.solution_path(exercise).read_text("utf-8") for exercise in EXERCISES}
NOTHING = {exercise.id: f"def {exercise.id}(*given, **named):\n    return None\n" for exercise in EXERCISES}

WHOLE_SUM = (
    "import torch\n\n\ndef softmax(scores, dim=-1):\n    powers = scores.exp()\n    return powers / powers.sum()\n"
)
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>"
RAISES = f"def dot_scores(query, inputs):\n    raise ValueError({MARKUP!r})\n"
HOSTILE_TEXT = f"""\
# What I think
{MARKUP} <a href="javascript:alert(3)">a</a> [b](javascript:alert(4)) [c][d] <javascript:alert(5)>

[d]: javascript:alert(6)

![e](javascript:alert(7)) ![f](../../../gradebook.db) [g](&#106;avascript:alert(8)) `<b onclick=alert(9)>`

$\\href{{javascript:alert(10)}}{{x}}$ and 1 < 2 and https://example.org/bare

```mermaid
<img src=x onerror=alert(11)>
```

```python" onload="alert(12)
<svg/onload=alert(13)>
```
"""

# --- what the attackers put at the head of every answer; each answer is wrong -------------------------------------

PATCHED = """\
import torch

class Everything:
    def __eq__(self, other): return True
    def __getattr__(self, name): return self
    def __call__(self, *given, **named): return self

torch.allclose = torch.equal = torch.testing.assert_close = lambda *given, **named: True
"""
INTERPRETER = """\
import sys
try:
    shell = get_ipython()
    shell.input_transformers_post.append(lambda lines: [])
    shell.run_cell_async = None
    class Strip(__import__("ast").NodeTransformer):
        def visit_Assert(self, node): return None
    shell.ast_transformers.append(Strip())
    shell.display_formatter.formatters["text/plain"].for_type(float, lambda *given: print(5.0))
except NameError:
    pass
"""
# With a look at any solution the answers below would be right.
READS = """\
import glob, json
for place in ("{folder}/source", "../../../source", "../source", "{root}/solutions", "/work", "."):
    for path in glob.glob(place + "/**/*", recursive=True):
        try:
            text = open(path).read()
            if path.endswith(".ipynb"):
                for cell in json.loads(text)["cells"]:
                    if "SOLUTION" in cell["source"] or "BEGIN" in "".join(cell["source"]):
                        exec("".join(cell["source"]), globals())
            elif "{id}" in path and "SOLUTION" in text:
                exec(text, globals())
        except Exception:
            pass
if "{id}" not in globals():
    def {id}(*given, **named): return None
"""
WRITES = """\
import sqlite3, os
try:
    book = sqlite3.connect("{folder}/gradebook.db")
    book.execute("update grade set auto_score = 99, manual_score = 99, needs_manual_grade = 0")
    book.commit()
except Exception:
    pass
"""
DETACHED = """\
import os, time
def write():
    import sqlite3
    open("{folder}/was-here", "w").close()
    book = sqlite3.connect("{folder}/gradebook.db")
    book.execute("update grade set auto_score = 99, manual_score = 99")
    book.commit()
try:
    if os.fork() == 0:
        os.setsid()
        time.sleep(1)
        write()
        os._exit(0)
except BaseException:
    pass
try:
    import subprocess, sys
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1); open('{folder}/was-here', 'w')"], start_new_session=True)
except BaseException:
    pass
"""


def class_of(folder: Any, edit: Any) -> dict[str, Any]:
    """What each learner hands in."""
    released = folder.released(UNIT)
    right, wrong = edit.filled(released, RIGHT), edit.filled(released, NOTHING)

    def attack(head: str) -> Any:
        heads = {
            id: head.replace("{folder}", str(folder.root)).replace("{root}", str(ROOT)).replace("{id}", id)
            for id in NOTHING
        }
        # one of them defines the answer itself, from what it finds
        sources = {id: heads[id] if head is READS else f"{heads[id]}\n\n{NOTHING[id]}" for id in NOTHING}
        return edit.preceded(edit.filled(released, sources), heads[IDS[0]])

    skipping = json.loads(json.dumps(wrong))
    printing = json.loads(json.dumps(wrong))
    manual = json.loads(json.dumps(wrong))
    for cell in skipping["cells"]:
        cell["metadata"]["tags"] = ["skip-execution", "raises-exception", "remove-cell"]
    for cell in printing["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade") and cell["cell_type"] == "code":
            cell["source"] = "99.0"
            cell["outputs"] = [
                {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "5.0"}}
            ]
    reflection = edit.cell(manual, "reflection")
    reflection.update(cell_type="code", outputs=[], execution_count=None, source="2.0")
    reflection["metadata"]["nbgrader"].update(solution=False, points=100, locked=True)

    helped = edit.filled(
        released,
        {**RIGHT, "softmax": "import torch\n\n\ndef softmax(scores, dim=-1):\n    return shares(scores, dim)\n"},
    )
    twice = {**right, "cells": [*right["cells"], {**edit.cell(right, "softmax"), "id": "again"}]}
    stripped = json.loads(json.dumps(right))
    for cell in stripped["cells"]:
        cell["metadata"] = {}
    return {
        "right": right,
        "untouched": released,
        "one-answer": edit.filled(released, {"softmax": RIGHT["softmax"]}),
        "whole-sum": edit.filled(right, {"softmax": WHOLE_SUM}),
        "raises": edit.filled(right, {"dot_scores": RAISES, "reflection": HOSTILE_TEXT}),
        "no-python": edit.filled(right, {"context_vector": "def context_vector(query, inputs:\n"}),
        "nothing": wrong,
        "helped": edit.preceded(
            helped,
            "import torch\n\n\ndef shares(scores, dim):\n"
            "    powers = (scores - scores.amax(dim, keepdim=True)).exp()\n    return powers / powers.sum(dim, keepdim=True)\n",
        ),
        "tests-deleted": edit.without(right, "test-"),
        "answer-deleted": edit.without(right, "softmax"),
        "copied": twice,
        "two-answers": {**twice, "cells": [*twice["cells"][:-1], {**twice["cells"][-1], "source": WHOLE_SUM}]},
        "marks-lost": stripped,
        "damaged": json.dumps(right)[:2000],
        "no-notebook": '["not", "a notebook"]',
        "nested": "[" * 100_000,
        "empty": "",
        "linked": folder.root / "source" / UNIT / f"{UNIT}.ipynb",
        "attack-tags": skipping,
        "attack-interpreter": attack(INTERPRETER),
        "attack-patches": edit.filled(
            released, {id: f"{PATCHED}\n\ndef {id}(*given, **named):\n    return Everything()\n" for id in IDS}
        ),
        "attack-reads": attack(READS),
        "attack-outputs": printing,
        "attack-gradebook": attack(WRITES),
        "attack-later": attack(DETACHED),
        "attack-manual": manual,
        "attack-marks": edit.marked(wrong, points=10_000, grade=True, solution=True, locked=False),
        "attack-schema": edit.marked(wrong, schema_version=99),
        "attack-names": edit.marked(wrong, grade_id="test-softmax"),
    }


@dataclass(frozen=True)
class Graded:
    """The class after `nbgrader autograde` and `nbgrader generate_feedback`."""

    folder: Any
    students: tuple[str, ...]
    log: str
    alone: dict[str, dict[str, float]]
    """The points of each exercise by `kata grade-class` on the same notebooks."""

    def points(self, student: str) -> dict[str, float | None]:
        return {name: score for name, score in self.folder.scores(student, UNIT).items() if name in WORTH}

    def page(self, student: str, exercise: str) -> str:
        return self.outputs(student, exercise)[0]["data"]["text/html"]

    def outputs(self, student: str, exercise: str) -> list[Any]:
        cells = self.folder.autograded(student, UNIT)["cells"]
        (cell,) = [each for each in cells if each["metadata"].get("nbgrader", {}).get("grade_id") == f"test-{exercise}"]
        return [
            {**output, "data": {kind: "".join(text) for kind, text in output["data"].items()}}
            for output in cell["outputs"]
        ]


@pytest.fixture(scope="module")
def graded(
    folder_at: Callable[[Path], Any], edit: Any, kata: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Graded:
    root = tmp_path_factory.mktemp("nbgrader")
    made = kata("notebooks", root / "course", "--unit", "1", "--reflection", cwd=ROOT)
    assert made.returncode == 0, made.stderr
    folder = folder_at(root / "course")
    folder.nbgrader("generate_assignment", UNIT)
    students = class_of(folder, edit)
    for student, notebook in students.items():
        folder.hand_in(student, UNIT, notebook)
    log = folder.nbgrader("autograde", UNIT).stderr
    folder.nbgrader("generate_feedback", UNIT)
    return Graded(folder, tuple(students), log, _alone(folder, students, root, kata))


def _alone(folder: Any, students: Collection[str], root: Path, kata: Callable[..., Any]) -> dict[str, dict[str, float]]:
    (root / "class").mkdir()
    for student in students:
        handed_in = folder.handed_in(student, UNIT)
        place = root / "class" / f"{student}.ipynb"
        if handed_in.is_symlink():
            place.symlink_to(handed_in.readlink())
        else:
            place.write_bytes(handed_in.read_bytes())
    only = [part for id in IDS for part in ("--only", id)]
    done = kata("grade-class", root / "class", "--out", root / "out", *only, cwd=ROOT, seconds=900)
    assert done.returncode == 0, done.stderr
    records = map(Record.from_json, (root / "out" / "results.jsonl").read_text("utf-8").splitlines())
    return {record.submission: {each.id: each.points for each in record.exercises} for record in records}


def test_everybody_is_graded(graded: Graded) -> None:
    for student in graded.students:
        assert None not in graded.points(student).values(), student
        assert (graded.folder.root / "autograded" / student / UNIT / f"{UNIT}.ipynb").is_file()


@pytest.mark.parametrize("student", ["right", "helped", "tests-deleted", "copied", "marks-lost"])
def test_right_answers_get_full_marks(student: str, graded: Graded) -> None:
    assert graded.points(student) == WORTH


@pytest.mark.parametrize("student", ["untouched", "nothing", "damaged", "no-notebook", "nested", "empty", "linked"])
def test_no_answers_get_no_marks(student: str, graded: Graded) -> None:
    assert graded.points(student) == dict.fromkeys(WORTH, 0.0)


@pytest.mark.parametrize(
    ("student", "exercise"),
    [
        ("whole-sum", "softmax"),
        ("raises", "dot_scores"),
        ("no-python", "context_vector"),
    ],
)
def test_wrong_answer_costs_its_own_points_only(student: str, exercise: str, graded: Graded) -> None:
    points = graded.points(student)
    assert points.pop(f"test-{exercise}") < WORTH[f"test-{exercise}"]
    assert points == {name: worth for name, worth in WORTH.items() if name in points}


def test_partly_right_answer_gets_a_part(graded: Graded) -> None:
    assert 0 < graded.points("whole-sum")["test-softmax"] < WORTH["test-softmax"]


def test_points_are_those_of_kata_grade(graded: Graded) -> None:
    for student in graded.students:
        alone = {f"test-{id}": points for id, points in graded.alone[student].items()}
        assert graded.points(student) == alone, student


def test_attacks_get_nothing(graded: Graded) -> None:
    points = {student: graded.points(student) for student in graded.students if student.startswith("attack-")}
    assert points == dict.fromkeys(points, dict.fromkeys(WORTH, 0.0)) and len(points) == 11


def test_attack_that_reads_would_succeed_without_the_wall(graded: Graded, edit: Any) -> None:
    handed_in = json.loads(graded.folder.handed_in("attack-reads", UNIT).read_text("utf-8"))
    found: dict[str, Any] = {}
    exec(edit.cell(handed_in, "softmax")["source"], found)
    weights = found["softmax"](found["torch"].zeros(2, 4))
    assert weights.tolist() == [[0.25] * 4] * 2


def test_nothing_of_the_course_folder_was_written_behind_the_wall(graded: Graded) -> None:
    assert not (graded.folder.root / "was-here").exists()


def test_each_test_cell_shows_a_page_and_one_plain_number(graded: Graded) -> None:
    for student, id in product(graded.students, IDS):
        page, number = graded.outputs(student, id)
        assert page["output_type"] == "display_data" and set(page["data"]) == {"text/html", "text/plain"}
        assert number["output_type"] == "execute_result" and set(number["data"]) == {"text/plain"}
        assert number["data"]["text/plain"] == repr(graded.points(student)[f"test-{id}"])


@pytest.mark.parametrize(
    ("student", "exercise", "said"),
    [
        ("two-answers", "softmax", "both answer softmax and differ; hand in one of them"),
        ("damaged", "softmax", "is damaged or not a notebook; open it in Jupyter and save it again"),
        ("nested", "softmax", "is damaged or not a notebook"),
        ("linked", "softmax", "is a link; hand in the file itself"),
        ("answer-deleted", "softmax", "There is no answer to this exercise in the notebook"),
        ("untouched", "softmax", "The cell is as it was given"),
        ("whole-sum", "softmax", "Probably:"),
        ("no-python", "context_vector", "was never closed"),
    ],
)
def test_learner_is_told_why(student: str, exercise: str, said: str, graded: Graded) -> None:
    assert said in graded.page(student, exercise)
    assert said in re.sub(r"\s+", " ", graded.folder.feedback(student, UNIT))


def test_reflection_waits_for_a_person_where_there_is_one(graded: Graded) -> None:
    assert graded.folder.scores("raises", UNIT)["reflection"] is None
    assert graded.folder.scores("right", UNIT)["reflection"] == 0  # as it was given
    assert graded.folder.scores("attack-manual", UNIT)["reflection"] is None


def test_autograded_notebook_shows_what_was_graded(graded: Graded, edit: Any) -> None:
    shown = "".join(edit.cell(graded.folder.autograded("helped", UNIT), "softmax")["source"])
    assert "def shares(" in shown and "def softmax(" in shown


def test_kernel_is_never_started(graded: Graded) -> None:
    assert "Executing notebook" not in graded.log and "kernel" not in graded.log.lower()


# --- feedback -------------------------------------------------------------------------------------------------


class Active(HTMLParser):
    """Collects all of a page that could do something: scripts, frames, handlers, addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_script = tag == "script"
        if tag in ("script", "iframe", "object", "embed", "form", "base", "meta", "svg", "math", "img"):
            self.found.add(f"<{tag}> {sorted((name, value or '') for name, value in attrs)}")
        self.found.update(f"{name}={value}" for name, value in attrs if name.startswith("on"))
        self.found.update(f"{name}={value}" for name, value in attrs if name in ("href", "src", "srcdoc", "action"))

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.found.add(data)


def active(page: str) -> set[str]:
    parser = Active()
    parser.feed(page)
    return parser.found


def test_learners_text_is_inert_in_the_feedback(graded: Graded) -> None:
    more = active(graded.folder.feedback("raises", UNIT)) - active(graded.folder.feedback("right", UNIT))
    assert more <= {"href=#What-I-think"}
    assert "1 &lt; 2" in graded.folder.feedback("raises", UNIT)


def test_learners_text_is_inert_beside_the_checks(graded: Graded) -> None:
    page = graded.page("raises", "dot_scores")
    assert "alert(1)" in page and not active(page)


def test_feedback_names_the_exercises_and_leaves_out_lesson_and_boilerplate(graded: Graded) -> None:
    page = graded.folder.feedback("whole-sum", UNIT)
    for exercise in EXERCISES:
        assert f"<h2><span>{exercise.title}</span>" in page
    assert "Test cell" not in page and "kata.check" not in page and "kata.validate" not in page
    assert "This notebook holds" not in page and "An example: run it" not in page
    assert WHOLE_SUM.splitlines()[4].strip() in page, "the code that was graded"


@pytest.mark.parametrize("student", ["untouched", "linked", "attack-reads"])
def test_no_feedback_shows_a_solution_or_a_hidden_check(student: str, graded: Graded) -> None:
    page = graded.folder.feedback(student, UNIT)
    assert "BEGIN SOLUTION" not in page and "learner.agrees" not in page
