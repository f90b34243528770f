"""Which names of learners nbgrader can keep books on: in folders, in its commands' patterns, in formgrader's pages."""

from __future__ import annotations

MAX_CHARACTERS = 128
"""The gradebook's column."""
MAX_BYTES = 255
"""A folder's name in the usual file systems."""

_TROUBLE = {
    "/": "parts folders",
    "\\": "parts folders",
    "+": "parts the names in nbgrader's exchange",
    "*": "is a pattern to nbgrader",
    "?": "is a pattern to nbgrader",
    "[": "is a pattern to nbgrader",
    "]": "is a pattern to nbgrader",
    "#": "breaks formgrader's links",
    "%": "breaks formgrader's links",
    "<": "becomes HTML in formgrader's pages",
    ">": "becomes HTML in formgrader's pages",
    '"': "becomes a script in formgrader's pages",
}


def fault_in(name: str) -> str | None:
    """Why nbgrader cannot keep books on a learner of this name, to follow the name in a sentence; None when it can."""
    if not name.strip():
        return "is no name"
    if name != name.strip():
        return "begins or ends with a blank"
    if name.startswith((".", "-")):
        return f"begins with {name[0]!r}, so nbgrader would not find it"
    if not name.isprintable():
        return "holds a character that cannot be printed"
    if found := next((character for character in name if character in _TROUBLE), None):
        return f"holds {found!r}, which {_TROUBLE[found]}"
    if len(name) > MAX_CHARACTERS or len(name.encode("utf-8")) > MAX_BYTES:
        return f"is longer than {MAX_CHARACTERS} characters or {MAX_BYTES} bytes"
    return None
