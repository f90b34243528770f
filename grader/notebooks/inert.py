"""A learner's markdown made inert: it reads as before, and no page that renders it runs or fetches anything.

nbconvert hands raw HTML, links of any kind and mermaid's text through to the page, and MathJax has commands that make
links or move things about. So what would start one of these is broken up by a blank. That goes for bare web addresses
too: formgrader runs scripts out of its own addresses, so one click on a link to it would hand over the server.
"""

from __future__ import annotations

import re

from grader.reports.safe_text import visible

MAX_CHARACTERS = 50_000

_BREAKS = (
    # a tag, a comment, an automatic link: `<` is only text before a blank
    (re.compile(r"<(?=[A-Za-z/!?])"), "< "),
    # an entity could become any of these characters once it is unescaped
    (re.compile(r"&(?=#?\w{1,40};)"), "& "),
    # links and pictures, with their address in place or given elsewhere
    (re.compile(r"\](?=[(:\[])"), "] "),
    (re.compile(r"(?<=://)(?=\S)"), " "),
    (re.compile(r"([`~][ \t]*)(?=mermaid)", re.IGNORECASE), r"\1text "),
    (
        re.compile(
            r"\\(?=(?:href|url|require|cssId|class|style|data|unicode|toggle|action|mmlToken|bbox"
            r"|[rR]ule|Space|m?kern|[hm]skip|[hm]space|raise|lower|moveleft|moveright|[lr]lap)(?![A-Za-z]))"
        ),
        r"\\ ",
    ),
)


def inert(markdown: str) -> str:
    """The text, shortened when it is endless, with control characters spelt out and nothing left that is active."""
    if len(markdown) > MAX_CHARACTERS:
        left_out = len(markdown) - MAX_CHARACTERS
        markdown = f"{markdown[:MAX_CHARACTERS]}\n\n(... {left_out} more characters, not shown)"
    text = visible(markdown)
    for pattern, broken in _BREAKS:
        text = pattern.sub(broken, text)
    return text
