"""A learner's text and code as nbgrader's pages show them: text, nothing that acts, and nobody holds up the server."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest
from nbconvert import filters
from nbconvert.filters.highlight import Highlight2HTML

from grader.notebooks.cells import MAX_CHARACTERS, as_typed
from grader.notebooks.feedback_page import MOST_COLOURED, shown_code
from tests.cases import rows, table

from .conftest import RIGHT, Page

pytestmark = pytest.mark.timeout(600)

TABLE = table(__file__, "texts.yml")


def text_of(shown: str) -> str:
    return unescape(re.sub("<[^>]*>", "", shown)).strip()


@pytest.mark.parametrize("text", TABLE["markdown"])
def test_text_is_shown_as_it_was_typed_and_nothing_in_it_acts(text: str) -> None:
    """MathJax leaves what is in `pre` and `code` alone."""
    page = filters.markdown2html(as_typed(text))
    assert Page(page).tags == [("pre", []), ("code", [])], page
    assert text_of(page) == text.strip()


def test_endless_text_is_shortened_and_says_so() -> None:
    assert "(... 5 more characters, not shown)" in as_typed("x" * (MAX_CHARACTERS + 5))


# --- code in formgrader ---------------------------------------------------------------------------------------------


@rows(TABLE["runs"], "run")
def test_any_code_is_shown_in_time_and_whole(run: str) -> None:
    for size in (MOST_COLOURED - 10, 500_000):
        source = "x=1\n" + run * (size // len(run)) + "#"
        began = time.process_time()
        shown = shown_code(source)
        assert time.process_time() - began < 3
        assert text_of(shown) == source


def test_what_a_learner_writes_is_text_whatever_its_size() -> None:
    for source in ("<script>&amp;", "<script>&amp;" + "\n" * 200, "<script>&amp;" * MOST_COLOURED):
        shown = shown_code(source)
        assert "<script" not in shown
        assert text_of(shown) == source.strip()


def test_ordinary_code_is_coloured_as_ever() -> None:
    code = RIGHT.format(id="share")
    assert shown_code(code) == Highlight2HTML(pygments_lexer="python")(code)
