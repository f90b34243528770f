"""Untrusted text can neither control a terminal nor disguise itself."""

from __future__ import annotations

import unicodedata

import pytest

from grader.render.safe_text import encodable, safe_block, safe_line, visible
from grader.render.wording import first_few

from ..cases import rows
from .conftest import CASES


@rows(CASES["visible"], "raw", "shown")
def test_what_cannot_be_seen_is_spelt_out(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@pytest.mark.thorough
def test_no_control_or_format_character_is_left_of_all_of_unicode() -> None:
    shown = visible(" ".join(map(chr, range(0x110000))))
    left = {char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")}
    assert left == {"\n", "\u200c", "\u200d"}


def test_line_stays_one_line_and_a_long_one_is_cut_and_says_so() -> None:
    assert safe_line("  two\nlines\n") == "two\\nlines"
    assert safe_line("x" * 1000, limit=10) == "x" * 10 + "..."


@rows(CASES["blocks"], "raw", "lines")
def test_block_is_bounded_and_says_what_it_left_out(raw: str, lines: list[str]) -> None:
    assert safe_block(raw, max_lines=3, limit=20) == lines


@rows(CASES["lists"], "names", "told")
def test_names_are_listed_up_to_a_bound(names: list[str], told: str) -> None:
    assert first_few(names, 3) == told


def test_huge_text_costs_little() -> None:
    assert sum(map(len, safe_block("\x1b\u202e" * 5_000_000, max_lines=10))) < 100_000


@rows(CASES["encodings"], "encoding", "shown")
def test_text_can_be_written_in_any_encoding(encoding: str, shown: str) -> None:
    assert encodable("√d 注", encoding) == shown
