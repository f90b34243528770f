from __future__ import annotations

import unicodedata

import pytest

from grader.render.safe_text import encodable, safe_block, safe_line, visible


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param("plain text", "plain text", id="plain"),
        pytest.param("√d, 注意力, ğ, 👍", "√d, 注意力, ğ, 👍", id="any-script"),
        pytest.param("a\nb", "a\nb", id="newline-stays"),
        pytest.param("a\r\nb", "a\nb", id="windows-newline"),
        pytest.param("a\tb", "a    b", id="tab-as-spaces"),
        pytest.param("over\rwritten", "over\\rwritten", id="carriage-return"),
        pytest.param("\x1b[2J\x1b[31m", "\\x1b[2J\\x1b[31m", id="ansi-escape"),
        pytest.param("\x9b31m", "\\x9b31m", id="c1-escape"),
        pytest.param("\x00\x07\x08\x7f", "\\x00\\x07\\x08\\x7f", id="nul-bell-backspace-delete"),
        pytest.param("\u202egpj.exe\u202c", "\\u202egpj.exe\\u202c", id="bidi-override"),
        pytest.param("\u2066x\u2069\u200e\u200f\u061c", "\\u2066x\\u2069\\u200e\\u200f\\u061c", id="bidi-isolates"),
        pytest.param("a\u200bb\ufeff\u00ad", "a\\u200bb\\ufeff\\xad", id="zero-width"),
        pytest.param("\u2028\u2029\x85", "\\u2028\\u2029\\x85", id="line-separators"),
        pytest.param("\ud800", "\\ud800", id="lone-surrogate"),
        pytest.param("\U000e0041", "\\U000e0041", id="tag-character"),
        pytest.param("\ue000", "\\ue000", id="private-use"),
        pytest.param("می\u200cخواهم", "می\u200cخواهم", id="joiner-of-a-script-stays"),  # noqa: RUF001
        pytest.param("e\u0301", "e\u0301", id="accent-stays"),
        pytest.param("e" + "\u0301" * 6, "e" + "\u0301" * 4 + "\\u0301" * 2, id="tower-of-marks"),
        pytest.param("<b>&</b>", "<b>&</b>", id="html-is-left-to-the-template"),
    ],
)
def test_what_cannot_be_seen_is_spelt_out(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@pytest.mark.thorough
def test_no_control_or_format_character_is_left_of_all_of_unicode() -> None:
    shown = visible(" ".join(map(chr, range(0x110000))))
    left = {char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")}
    assert left == {"\n", "\u200c", "\u200d"}


def test_line_stays_one_line() -> None:
    assert safe_line("  two\nlines\n") == "two\\nlines"


def test_long_line_is_cut_and_says_so() -> None:
    assert safe_line("x" * 1000, limit=10) == "x" * 10 + "..."


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        pytest.param("", [""], id="empty"),
        pytest.param("\n\na\nb\n\n", ["a", "b"], id="blank-ends-go"),
        pytest.param("    indented", ["    indented"], id="indentation-stays"),
        pytest.param("1\n2\n3", ["1", "2", "3"], id="just-fits"),
        pytest.param("1\n2\n3\n4\n5", ["1", "2", "3", "... (2 more lines)"], id="too-many-lines"),
        pytest.param("x" * 25, ["x" * 20, "... (5 more characters)"], id="too-many-characters"),
        pytest.param("1\n2\n3\n4\n" + "y" * 20 + "\n6", ["1", "2", "3", "... (3 more lines)"], id="both"),
    ],
)
def test_block_is_bounded_and_says_what_it_left_out(raw: str, lines: list[str]) -> None:
    assert safe_block(raw, max_lines=3, limit=20) == lines


def test_huge_text_costs_little() -> None:
    lines = safe_block("\x1b\u202e" * 5_000_000, max_lines=10)
    assert sum(map(len, lines)) < 100_000


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        pytest.param("utf-8", "√d 注", id="utf-8"),
        pytest.param("latin-1", "\\u221ad \\u6ce8", id="latin-1"),
        pytest.param("ascii", "\\u221ad \\u6ce8", id="ascii"),
    ],
)
def test_text_can_be_written_in_any_encoding(encoding: str, shown: str) -> None:
    assert encodable("√d 注", encoding) == shown
