"""A learner's text and code as nbgrader's pages show them: text, nothing that acts, and nobody holds up the server."""

from __future__ import annotations

import re
import time
from html import unescape
from html.parser import HTMLParser

import pytest
from nbconvert import filters
from nbconvert.filters.highlight import Highlight2HTML

from grader.notebooks.cells import MAX_CHARACTERS, inert
from grader.notebooks.feedback_page import MOST_COLOURED, ShownCode

pytestmark = pytest.mark.timeout(600)

HARMLESS = {
    *("p", "h1", "h2", "a", "code", "pre", "div", "span", "em", "strong", "ul", "ol", "li", "br", "blockquote", "del"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


class Tags(HTMLParser):
    """Collects the elements of a page, and what their attributes are."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes.update((name, value or "") for name, value in attrs)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<<script>alert(1)<</script>",
        "<scr<script>ipt>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<!-- --><svg/onload=alert(1)>",
        "<?x?><iframe srcdoc='<script>alert(1)</script>'>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&#60;script&#62;alert(1)&#60;/script&#62;",
        "```html\n<script>alert(1)</script>\n```",
        "```mermaid\ngraph TD\nA[<img src=x onerror=alert(1)>]\n```",
        "~~~ mermaid\n<script>alert(1)</script>\n~~~",
        "$$ <script>alert(1)</script> $$",
        "\\begin{x}<script>alert(1)</script>\\end{x}",
        "https://example.org/&quot;onmouseover=alert(1)&quot;",
        'https://example.org/"onmouseover="alert(1)',
        "https://example.org/",
        "see http://127.0.0.1:8888/formgrader/manage_students/%22;alert(1)// here",
        "*https://example.org/* `https://example.org/`",
        "| a |\n|---|\n| <script>alert(1)</script> |",
        "[a](javascript:alert(1))",
        "[a]( javascript:alert(1) )",
        "[a](<javascript:alert(1)>)",
        "[a](&#106;avascript:alert(1))",
        "[a][b]\n\n[b]: javascript:alert(1)",
        "[a]\n\n [a]:\njavascript:alert(1)",
        "<javascript:alert(1)>",
        "<vbscript:alert(1)>",
        "![a](javascript:alert(1))",
        "![a](../../../gradebook.db)",
        "![a](attachment:none.png)",
        "[![a](x)](javascript:alert(1))",
        "[a](data:text/html,<script>alert(1)</script>)",
    ],
)
def test_no_tag_no_handler_and_no_link(text: str) -> None:
    page = filters.markdown2html(inert(text))
    found = Tags(page)
    assert found.elements <= HARMLESS, page
    assert set(found.attributes) <= {"class", "id"} and "mermaid" not in found.attributes.get("class", ""), page


ACTING = "href url require cssId class style unicode mmlToken bbox rule Rule kern raise"


@pytest.mark.parametrize("command", ACTING.split())
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
