"""One reader for every CSV about a class: encodings, delimiters, sizes, and what is said of what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.csv_file import MOST_BYTES, lacking, read_table
from grader.errors import KataError


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_delimiter_in_any_encoding_of_spreadsheets(delimiter: str, encoding: str, tmp_path: Path) -> None:
    lines = [["Mark ", " Learner"], ["3", "\tZoë O'Neil "], ["", ""], ['"4"', '"Lee, ""Bo"""']]
    text = "\r\n".join(delimiter.join(line) for line in lines)
    (tmp_path / "marks.csv").write_bytes(text.replace("\tZoë", "Zoë").encode(encoding))
    table = read_table(tmp_path / "marks.csv")
    assert (table.titles, table.columns, table.delimiter) == (("Mark ", " Learner"), ("mark", "learner"), delimiter)
    assert table.rows == ((2, ("3", "Zoë O'Neil ")), (4, ("4", 'Lee, "Bo"')))


def test_ids_stay_as_they_are_written_and_short_rows_are_filled_up(tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_text("id,mark\n007,1\n1e3\n+49,3\n", "utf-8")
    assert [cells for _, cells in read_table(tmp_path / "marks.csv").rows] == [("007", "1"), ("1e3", ""), ("+49", "3")]


def test_columns_stand_in_the_order_of_the_titles_that_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_text("name,id,points,mark,ID\n", "utf-8")
    table = read_table(tmp_path / "marks.csv")
    assert table.places(("mark", "id", "unit")) == [3, 1, 4] and table.place("mark", "points") == 3
    assert table.place("unit") is None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(b'learner,mark\nada,"3\n', "marks.csv, line 2: this is not a CSV file (", id="open quote"),
        pytest.param(b"PK\3\4\0\0", "marks.csv is not text, perhaps a spreadsheet", id="a spreadsheet"),
        pytest.param(b"x" * (MOST_BYTES + 1), "marks.csv is larger than 16 MB", id="too large"),
        pytest.param(None, "marks.csv cannot be read (No such file or directory)", id="not there"),
    ],
)
def test_what_is_no_table_is_one_sentence(content: bytes | None, told: str, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(KataError) as refused:
        read_table(path)
    assert told in str(refused.value) and str(refused.value).startswith(str(path))
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(b"", "marks.csv has no column for marks: it is empty.", id="empty"),
        pytest.param(
            b"learner,mar\x1b[2Jk\nada,3\n",
            r"marks.csv has no column for marks: its first line is 'learner,mar\x1b[2Jk'. "
            r"This writes one that works: printf 'id,mark\nada,3\n' > example.csv",
            id="a title that would clear the terminal",
        ),
    ],
)
def test_table_without_a_column_is_told_with_one_that_works(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_bytes(content)
    sentence = lacking(read_table(tmp_path / "marks.csv"), "column for marks", "id,mark", "ada,3")
    assert told in sentence and sentence.isprintable()


def test_a_table_is_written_back_as_it_came(tmp_path: Path) -> None:
    text = 'Name;"Note; to all";3\r\n Ada ;"a ""b""";\r\nBo;;007\r\n'
    (tmp_path / "a.csv").write_text(text, "utf-8", newline="")
    assert read_table(tmp_path / "a.csv").text() == text
