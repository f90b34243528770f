"""Code on nbgrader's pages, coloured as ever unless that could take long.

Pygments goes over the rest of a run of blank lines again at each of them. So an answer with some hundred kB of blank
lines would hold up the feedback of everybody for hours, and formgrader's server as well.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from nbconvert.filters.highlight import Highlight2HTML

MOST_COLOURED = 20_000
"""Characters; the longest of the course's answers has a quarter of it."""
LANGUAGE = "python"
_LONG_BLANK = re.compile(r"\s{100}")


class ShownCode(Highlight2HTML):
    """nbconvert's filter `highlight_code`, in time that is in proportion to the code."""

    def __call__(self, source: str, language: str | None = None, metadata: Any = None) -> str:
        """The code as HTML; a long one, and one with a long run of blanks, in one colour."""
        if len(source) <= MOST_COLOURED and not _LONG_BLANK.search(source):
            coloured: str = super().__call__(source, language or LANGUAGE, metadata)
            return coloured
        return f'<div class=" highlight hl-{LANGUAGE}"><pre>{escape(source)}\n</pre></div>\n'
