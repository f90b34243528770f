"""A learner's text and code as nbgrader's pages show them: text, nothing that acts, and nobody holds up the server."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest
from nbconvert import filters
from nbconvert.filters.highlight import Highlight2HTML

from grader.notebooks.cells import MAX_CHARACTERS, inert
from grader.notebooks.feedback_page import MOST_COLOURED, ShownCode
from tests.cases import rows, table

from .conftest import RIGHT, Page

pytestmark = pytest.mark.timeout(600)

TABLE = table(__file__, "texts.yml")
HARMLESS = {
    *("p", "h1", "h2", "a", "code", "pre", "div", "span", "em", "strong", "ul", "ol", "li", "br", "blockquote", "del"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


@pytest.mark.parametrize("text", TABLE["markdown"])
def test_no_tag_no_handler_and_no_link(text: str) -> None:
    page = filters.markdown2html(inert(text))
    tags = Page(page).tags
    assert {tag for tag, _ in tags} <= HARMLESS, page
    attributes = [each for _, given in tags for each in given]
    assert {name for name, _ in attributes} <= {"class", "id"}, page
    assert not any("mermaid" in value for name, value in attributes if name == "class"), page


@pytest.mark.parametrize("command", TABLE["mathjax"])
def test_no_command_of_mathjax_that_acts(command: str) -> None:
    assert f"\\{command}" not in inert(f"$\\{command}{{javascript:alert(1)}}{{x}}$")


def test_ordinary_text_reads_as_before() -> None:
    text = "## Softmax\n\n- *each row* sums to 1, so $a < b$ gives `x[0] < 1`\n- $\\frac{a}{b}$\n"
    assert inert(text) == text
    page = filters.markdown2html(inert("*each* `row` of **x**"))
    assert "<em>each</em> <code>row</code> of <strong>x</strong>" in page


def test_endless_text_is_shortened_and_says_so() -> None:
    assert inert("x" * (MAX_CHARACTERS + 5)).endswith("(... 5 more characters, not shown)")


# --- code in formgrader ---------------------------------------------------------------------------------------------


def text_of(shown: str) -> str:
    return unescape(re.sub("<[^>]*>", "", shown)).strip()


@rows(TABLE["runs"], "run")
def test_any_code_is_shown_in_time_and_whole(run: str) -> None:
    for size in (MOST_COLOURED - 10, 500_000):
        source = "x=1\n" + run * (size // len(run)) + "#"
        began = time.process_time()
        shown = ShownCode()(source)
        assert time.process_time() - began < 3
        assert text_of(shown) == source


def test_what_a_learner_writes_is_text_whatever_its_size() -> None:
    for source in ("<script>&amp;", "<script>&amp;" + "\n" * 200, "<script>&amp;" * MOST_COLOURED):
        shown = ShownCode()(source)
        assert "<script" not in shown
        assert text_of(shown) == source.strip()


def test_ordinary_code_is_coloured_as_ever() -> None:
    code = RIGHT.format(id="share")
    assert ShownCode()(code) == Highlight2HTML(pygments_lexer="python")(code)
