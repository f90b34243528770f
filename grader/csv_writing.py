"""Writes tables as CSV, with text that no spreadsheet takes for a formula.

A spreadsheet evaluates a field that starts with one of = + - @ (or a tab or carriage return) when the file is opened.
OWASP ("CSV Injection") advises to put an apostrophe in front; after separators too, since a spreadsheet may split lines
at other characters than we do. Numbers are written by `number_field` and stay numbers, negative ones too.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence

# In some languages the full-width forms are taken for the plain ones.
_BEFORE_FORMULA = re.compile(r"""(?<![\s";,|])([\s";,|]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])""")
"""A match starts at the first blank or separator of a run: starting at each of 100,000 line ends would take hours."""
_SEPARATORS = frozenset(";,|\t\r\n")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_STARTS_ODDLY = re.compile(r"[\t\r\n]")
_DECIMALS = 4


def text_field(text: str | None) -> str:
    """The text, with an apostrophe wherever a spreadsheet would evaluate it; "" for None.

    Characters that UTF-8 cannot encode, and those that control a terminal, become U+FFFD.
    """
    text = _CONTROL.sub("\ufffd", text or "").encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if _STARTS_ODDLY.match(text):
        text = f"'{text}"
    return _BEFORE_FORMULA.sub(_marked, text)


def _marked(found: re.Match[str]) -> str:
    is_at_start = found.start() == 0 or not _SEPARATORS.isdisjoint(found[1])
    return f"{found[1]}'" if is_at_start else found[1]


def line_field(text: str | None) -> str:
    """As `text_field`, on one line: importers that read line by line fail on a newline in a name."""
    return text_field(" ".join((text or "").split()))


def number_field(value: float | None) -> str:
    """Points with at most four decimals, with a decimal point and no thousands separators; "" for None.

    Raises ValueError for infinity and NaN.
    """
    if value is None:
        return ""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number of points")
    digits = f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def table(rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV (RFC 4180), from fields made by `text_field` and `number_field`."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()
