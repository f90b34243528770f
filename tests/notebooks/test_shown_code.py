"""Code in formgrader: coloured, and nobody's answer holds up the server."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest
from nbconvert.filters.highlight import Highlight2HTML

from grader.notebooks.shown_code import MOST_COLOURED, ShownCode

pytestmark = pytest.mark.timeout(600)

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"

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
