"""A learner's markdown after `inert`, rendered as nbgrader's pages render it: text, and nothing that acts."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from nbconvert import filters

from grader.notebooks.cells import MAX_CHARACTERS, inert

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
    ],
)
def test_no_tag_and_no_handler(text: str) -> None:
    page = filters.markdown2html(inert(text))
    found = Tags(page)
    assert found.elements <= HARMLESS, page
    assert set(found.attributes) <= {"class", "id"} and "mermaid" not in found.attributes.get("class", ""), page


@pytest.mark.parametrize(
    "text",
    [
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
def test_no_link(text: str) -> None:
    page = filters.markdown2html(inert(text))
    found = Tags(page)
    assert found.elements <= HARMLESS and "href" not in found.attributes, page


@pytest.mark.parametrize(
    "command",
    [
        "href",
        "url",
        "require",
        "cssId",
        "class",
        "style",
        "unicode",
        "mmlToken",
        "bbox",
        "rule",
        "Rule",
        "kern",
        "raise",
    ],
)
def test_no_command_of_mathjax_that_acts(command: str) -> None:
    assert f"\\{command}" not in inert(f"$\\{command}{{javascript:alert(1)}}{{x}}$")


def test_ordinary_text_reads_as_before() -> None:
    text = "## Softmax\n\n- *each row* sums to 1, so $a < b$ gives `x[0] < 1`\n- $\\frac{a}{b}$\n"
    assert inert(text) == text
    page = filters.markdown2html(inert("*each* `row` of **x**"))
    assert "<em>each</em> <code>row</code> of <strong>x</strong>" in page


def test_endless_text_is_shortened_and_says_so() -> None:
    assert inert("x" * (MAX_CHARACTERS + 5)).endswith("(... 5 more characters, not shown)")
