"""timestamp.txt beside a notebook: a time that nbgrader will read."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from nbgrader.utils import parse_utc

from grader.intake.submission import RefusedError, UnreadableError
from grader.notebooks.entrance import TIMESTAMP, _time_of
from tests.fuzz.damage import ODD_TEXTS, damaged
from tests.fuzz.sound import assert_sentence
from tests.fuzz.watching import scratch

TIMES = (
    "2026-11-20 18:00:00.000000 UTC",
    "2026-11-20T18:00:00+01:00",
    "Fri, 20 Nov 2026 18:00:00 -0500 (EST)",
    "20/11/26 6pm",
    "9999-12-31 23:59:59 -2359",
    "0001-01-01",
    "now",
    "1e400",
    "99999999999999999999999",
    "12:00:00." + "9" * 60,
)


def run(data: bytes) -> None:
    """The time can be read by nbgrader, or is told in a sentence."""
    folder = scratch()
    (folder / TIMESTAMP).write_bytes(data)
    try:
        content = _time_of(folder)
    except (RefusedError, UnreadableError) as error:
        assert_sentence(str(error))
        return
    assert content == data
    if text := data.decode("utf-8").strip():
        parse_utc(text)


def inputs() -> SearchStrategy[bytes]:
    """Times in many spellings, damaged, and words that a parser of dates looks for."""
    words = st.sampled_from(
        ("am", "UTC", "Nov", "Monday", "T", "Z", "+", "-", ":", ".", ",", "e9", "inf", "nan", "11", "2026")
    )
    written = st.sampled_from((*TIMES, *(text for text in ODD_TEXTS if text != "\ud800")))
    return damaged((written | st.lists(words, max_size=8).map(" ".join)).map(str.encode))
