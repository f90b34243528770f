"""A notebook handed in through nbgrader: rebuilt from the release, and what was read as files put into one."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache

import nbformat
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.notebooks.cells import OURS, REFLECTION, asked_in, exercises_of, grade_id_of, is_answer
from grader.notebooks.hand_in import HandInError, Release, notebook_of
from grader.notebooks.rebuild import read, rebuilt, submission_in, texts_for_people
from grader.notebooks.release import released
from grader.notebooks.source import source_notebook
from tests.fuzz.damage import ODD_TEXTS, damaged_json
from tests.fuzz.sound import assert_sentence
from tests.fuzz.targets.archive import COURSE
from tests.fuzz.targets.notebook import notebooks
from tests.fuzz.watching import scratch

UNIT = COURSE.units[0]
ACTIVE = ("<script", "<img", "](")


@cache
def release() -> Release:
    """The first unit as learners are given it, the first exercises of it, without their lessons."""
    notebook = nbformat.reads(source_notebook(COURSE, UNIT), as_version=4)
    first = [exercise.id for exercise in UNIT.exercises[:2]]
    notebook.cells = [cell for cell in notebook.cells if asked_in(grade_id_of(cell)) in (*first, REFLECTION)]
    for cell in notebook.cells:
        if is_answer(cell):
            cell.source = released(cell.source)
    return Release(UNIT, notebook, frozenset(exercise.id for exercise in exercises_of(notebook.cells, COURSE)))


def run(data: bytes) -> None:
    """Graded is what the intake reads, in cells of the release and no others; files go in and come out to the byte."""
    path = scratch() / f"{UNIT.folder}.ipynb"
    path.write_bytes(data)
    given = release()
    submission = read(path, COURSE)
    texts = texts_for_people(path)
    new = rebuilt(deepcopy(given.notebook), submission, texts, COURSE)
    assert [cell.id for cell in new.cells] == [cell.id for cell in given.notebook.cells]
    assert [cell.metadata for cell in new.cells] == [cell.metadata for cell in given.notebook.cells]
    written = nbformat.writes(new, version=4)
    json.loads(written)
    for cell in new.cells:
        if grade_id_of(cell) == REFLECTION:
            assert not any(each in cell.source for each in ACTIVE), ascii(cell.source[:200])
    graded = submission_in(nbformat.reads(written, as_version=4), "ada")
    asked = {id: each.content for id, each in submission.sources.items() if id in given.exercises}
    assert {id: each.content.rstrip(b"\n") for id, each in graded.sources.items()} == {
        id: content.rstrip(b"\n") for id, content in asked.items()
    }
    try:
        notebook_of(given, submission, texts, COURSE)
    except HandInError as error:
        assert_sentence(str(error))
    assert OURS not in given.notebook.metadata


def inputs() -> SearchStrategy[bytes]:
    """The release with answers and marks of all kinds in it, and notebooks that have nothing to do with it."""
    answers = st.sampled_from(
        (
            "def softmax(s):\n    return s.softmax(-1)\n",
            "",
            "<script>alert(1)</script>",
            "![x](javascript:x)",
            *ODD_TEXTS,
        )
    )
    marks = st.sampled_from(
        ({}, {"file": "softmax.py", "exercise": "softmax"}, {"problems": [["a", "refused", "b", None]]})
    )
    return damaged_json(st.builds(_answered, st.lists(answers, min_size=1, max_size=4), marks) | notebooks())


def _answered(answers: list[str], marks: dict[str, object]) -> object:
    notebook = json.loads(nbformat.writes(release().notebook, version=4))
    places = [cell for cell in notebook["cells"] if "solution" in json.dumps(cell.get("metadata", {}))]
    for cell, answer in zip(places[: len(answers) - 1] + places[-1:], answers, strict=False):
        cell["source"] = answer
        if marks:
            cell["metadata"]["kata"] = marks
    return notebook
