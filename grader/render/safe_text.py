"""Makes untrusted text safe to show: a learner's output must not control a terminal or disguise a page.

Invisible characters are shown as Python escapes: an escape character becomes the four characters \\x1b.
"""

from __future__ import annotations

import unicodedata

TAB = "    "
LINE_LIMIT = 300
BLOCK_LIMIT = 8000
# Scripts stack two or three marks on a letter; many more would paint over the neighbouring lines.
_MARKS_IN_A_ROW = 4
# Format characters used in spelling letters and emoji. Alone they change neither direction nor position.
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """The text with every control, bidi, invisible and unencodable character escaped; newlines stay."""
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = 0
    for char in text.replace("\r\n", "\n").replace("\t", TAB):
        category = unicodedata.category(char)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        hidden = category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") and char not in _JOINERS and char != "\n"
        is_spelt_out = hidden or marks > _MARKS_IN_A_ROW
        shown.append(char.encode("unicode_escape").decode("ascii") if is_spelt_out else char)
    return "".join(shown)


def safe_line(text: str, limit: int = LINE_LIMIT) -> str:
    """The text on one line, at most `limit` characters of the original; newlines are escaped."""
    cut = text[:limit]
    rest = "..." if len(text) > limit else ""
    return visible(cut.strip()).replace("\n", "\\n") + rest


def safe_block(text: str, max_lines: int, limit: int = BLOCK_LIMIT) -> list[str]:
    """The text on at most `max_lines` lines, plus one that says how much was left out, if anything was."""
    body = text.strip("\r\n")
    lines = visible(body[:limit]).split("\n")
    if len(lines) > max_lines:
        left_out = len(lines) - max_lines + body.count("\n", limit)
        return [*lines[:max_lines], f"... ({left_out} more lines)"]
    if len(body) > limit:
        return [*lines, f"... ({len(body) - limit} more characters)"]
    return lines


def encodable(text: str, encoding: str) -> str:
    """The text with characters escaped that the encoding lacks, so that writing it cannot fail."""
    return text.encode(encoding, "backslashreplace").decode(encoding)
