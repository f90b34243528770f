"""Code in the feedback: coloured, and nobody's answer holds up the feedback of the others."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from nbconvert.filters.highlight import Highlight2HTML

from grader.notebooks.shown_code import MOST_COLOURED, ShownCode

pytestmark = pytest.mark.timeout(600)

UNIT = "01_parts"
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
BLANK_LINES = " \n" * 200_000
"""Within all bounds of a notebook; to colour them would take most of an hour."""
SECONDS = 60

RUNS = {
    "blank lines": " \n",
    "line ends": "\n",
    "letters and points": "a.",
    "stars": "*",
    "open strings": " '''\"",
    "open brackets": "([{",
    "numbers": "1_",
    "f-strings": "f'{",
    "continued lines": "\\\n ",
    "decorators": "@a.\n",
    "words": "from import class def ",
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_any_code_is_shown_in_time_and_whole(run: str) -> None:
    for size in (MOST_COLOURED - 10, 500_000):
        source = "x=1\n" + run * (size // len(run)) + "#"
        began = time.process_time()
        shown = ShownCode()(source)
        assert time.process_time() - began < 3
        assert shown.count("x") >= 1 and "<script" not in shown


def test_what_a_learner_writes_is_text_whatever_its_size() -> None:
    for source in ("<script>&amp;", "<script>&amp;" + "\n" * 200, "<script>&amp;" * MOST_COLOURED):
        shown = ShownCode()(source)
        assert "<script" not in shown
        assert unescape(re.sub("<[^>]*>", "", shown)).strip() == source.strip()


def test_ordinary_code_is_coloured_as_ever() -> None:
    assert ShownCode()(RIGHT) == Highlight2HTML(pygments_lexer="python")(RIGHT)


@pytest.fixture(scope="module")
def folder(
    tmp_path_factory: pytest.TempPathFactory,
    make_course: Callable[..., Path],
    folder_at: Callable[[Path], Any],
    kata: Callable[..., subprocess.CompletedProcess[str]],
    edit: Any,
) -> Any:
    root = tmp_path_factory.mktemp("shown")
    course = make_course(root / "tiny", "01_parts/01_share")
    done = kata("notebooks", root / "nbgrader", "--course", course, cwd=course)
    assert done.returncode == 0, done.stderr
    folder = folder_at(root / "nbgrader")
    folder.nbgrader("generate_assignment", UNIT)
    released = folder.released(UNIT)
    folder.hand_in("eve", UNIT, edit.filled(released, {"share": f"{RIGHT}{BLANK_LINES}# end\n"}))
    folder.hand_in("zoe", UNIT, edit.filled(released, {"share": RIGHT}))
    folder.nbgrader("autograde", UNIT)
    return folder


@pytest.mark.thorough
def test_blank_lines_of_one_hold_up_nobodys_feedback(folder: Any) -> None:
    began = time.monotonic()
    folder.nbgrader("generate_feedback", UNIT)
    assert time.monotonic() - began < SECONDS
    for student in ("eve", "zoe"):
        assert folder.scores(student, UNIT)["test-share"] == 4
    coloured = '<span class="k">return</span>'
    assert coloured in folder.feedback("zoe", UNIT)
    assert coloured not in folder.feedback("eve", UNIT)
    assert "def share(amounts)" in unescape(folder.feedback("eve", UNIT))
