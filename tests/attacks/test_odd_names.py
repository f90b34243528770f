"""Names that look like an exercise's file, or that would do something where they are shown, in a folder and in a zip."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course
from grader.intake import Submission, read_submission

COURSE = load_course(Path(__file__).parents[2] / "course.yml")

NO_ANSWER = {
    "full width": "\uff10\uff13_softmax.py",
    "one letter of full width": "03_\uff53oftmax.py",
    "a letter of another script": "03_s\u043eftmax.py",
    "an accent of its own": "03_softma\u0301x.py",
    "an invisible character": "03_soft\u200bmax.py",
    "turned around": "03_softmax\u202eyp.py",
    "blank at the end": "03_softmax.py ",
    "dot at the end": "03_softmax.py.",
    "stream of Windows": "03_softmax.py::$DATA",
    "question mark": "03_softmax.py?x",
    "line end": "03_softmax.py\n",
    "tab": "\t03_softmax.py",
    "negative number": "-3_softmax.py",
    "number twice": "03_03_softmax.py",
    "compiled": "03_softmax.pyc",
    "library": "03_softmax.so",
    "interface": "03_softmax.pyi",
    "text": "03_softmax.py.txt",
    "backup": "03_softmax.py~",
    "formula": "=cmd|'_C calc'!A0.py",
    "markup": "<script>alert(1)<_script>.py",
    "escapes": "\x1b]52;c;cm0=\x07\x1b[2J.py",
    "hidden": ".03_softmax.py",
    "cache": "__pycache__/03_softmax.py",
    "version control": ".git/03_softmax.py",
}

ALMOST = {
    "capitals": "03_SOFTMAX.PY",
    "second download": "03_softmax (1).py",
}

ANSWER = {
    "another number": "99_softmax.py",
    "reserved folder": "CON/03_softmax.py",
    "in a folder of checks": "tests/kits/01_soft_lookup/03_softmax.py",
    "long folder": "a" * 200 + "/03_softmax.py",
}

Make = Callable[[str], Submission]


def in_folder(name: str, place: Path) -> Submission:
    path = place / "alice" / name
    path.parent.mkdir(parents=True)
    path.write_text("answer")
    return read_submission(place / "alice", COURSE)


def in_zip(name: str, place: Path) -> Submission:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr(name, "answer")
    (place / "alice.zip").write_bytes(buffer.getvalue())
    return read_submission(place / "alice.zip", COURSE)


FORMS = pytest.mark.parametrize("read", [in_folder, in_zip], ids=["folder", "zip"])


@FORMS
@pytest.mark.parametrize("name", NO_ANSWER)
def test_name_that_only_looks_like_an_exercise_is_told_and_not_guessed(
    name: str, read: Callable, tmp_path: Path
) -> None:
    submission = read(NO_ANSWER[name], tmp_path)
    assert submission.sources == {}
    (problem,) = submission.problems
    assert problem.kind == "unknown"
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b\u202e]", problem.file + problem.message)


@FORMS
@pytest.mark.parametrize("name", ALMOST)
def test_name_that_can_mean_one_exercise_only_counts_and_is_told(name: str, read: Callable, tmp_path: Path) -> None:
    submission = read(ALMOST[name], tmp_path)
    assert list(submission.sources) == ["softmax"]
    assert [problem.kind for problem in submission.problems] == ["renamed"]


@FORMS
@pytest.mark.parametrize("name", ANSWER)
def test_name_of_an_exercise_counts_wherever_it_lies(name: str, read: Callable, tmp_path: Path) -> None:
    submission = read(ANSWER[name], tmp_path)
    assert list(submission.sources) == ["softmax"] and submission.problems == ()
