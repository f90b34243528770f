"""One reader for every CSV about a class: encodings, delimiters, sizes, rows and what is said of those that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from pydantic import field_validator

from grader.classroom.csv_file import MOST_BYTES, Column, CsvRow, read_rows, read_table
from grader.errors import KataError


class Mark(CsvRow):
    """A row of the tests."""

    wanted: ClassVar[str] = "columns for learners and marks"
    example: ClassVar[tuple[str, ...]] = ("learner,mark", "ada,3")

    learner: Annotated[str, Column(("learner", "id", "name"), "first filled")]
    mark: Annotated[int | None, Column(("mark", "points"), is_needed=True)] = None
    task: Annotated[tuple[str, ...], Column(("task", "unit"), "all")] = ()

    @field_validator("mark", mode="before")
    @classmethod
    def _is_a_number(cls, text: str) -> int:
        if not text.isascii() or not text.isdigit():
            raise ValueError(f"`{text}` is no mark: write 0, 1, 2 and so on.")
        return int(text)


def rows(path: Path) -> list[tuple[int, Mark]]:
    return list(read_rows(path, Mark))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_delimiter_in_any_encoding_of_spreadsheets(delimiter: str, encoding: str, tmp_path: Path) -> None:
    lines = [["Mark ", " Learner"], ["3", "\tZoë O'Neil "], ["", ""], ['"4"', '"Lee, ""Bo"""']]
    text = "\r\n".join(delimiter.join(line) for line in lines)
    (tmp_path / "marks.csv").write_bytes(text.replace("\tZoë", "Zoë").encode(encoding))
    assert rows(tmp_path / "marks.csv") == [
        (2, Mark(learner="Zoë O'Neil", mark="3")),
        (4, Mark(learner='Lee, "Bo"', mark="4")),
    ]


def test_ids_stay_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_text("id,mark\n007,1\n1e3,2\n+49,3\n", "utf-8")
    assert [row.learner for _, row in rows(tmp_path / "marks.csv")] == ["007", "1e3", "+49"]


def test_fields_stand_in_the_first_column_the_first_that_is_filled_or_all(tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_text("name,id,points,mark,unit,task\nAda,a1,9,,u,t\nBo,,8,2,,t\n", "utf-8")
    assert [row for _, row in rows(tmp_path / "marks.csv")] == [
        Mark(learner="a1", task=("t", "u")),
        Mark(learner="Bo", mark="2", task=("t",)),
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(b"learner,mark\n,3\n", "marks.csv, row 2: there is no learner.", id="nobody"),
        pytest.param(
            b"learner, My Mark ,MARK\nada,x,3\n\nbo,x,three\n",
            "marks.csv, row 4: `three` is no mark: write 0, 1, 2 and so on. The column is `MARK`.",
            id="what is found, what is expected, and in which row and column",
        ),
        pytest.param(
            b"learner,mar\x1b[2Jk\nada,3\n",
            r"marks.csv has no columns for learners and marks: its first line is 'learner,mar\x1b[2Jk'. "
            r"This writes one that works: printf 'learner,mark\nada,3\n' > example.csv",
            id="no column, and a title that would clear the terminal",
        ),
        pytest.param(b"", "marks.csv has no columns for learners and marks: it is empty.", id="empty"),
        pytest.param(b'learner,mark\nada,"3\n', "marks.csv, line 2: this is not a CSV file (", id="open quote"),
        pytest.param(b"PK\3\4\0\0", "marks.csv is not text, perhaps a spreadsheet", id="a spreadsheet"),
        pytest.param(b"x" * (MOST_BYTES + 1), "marks.csv is larger than 16 MB", id="too large"),
        pytest.param(None, "marks.csv cannot be read (No such file or directory)", id="not there"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_the_place(content: bytes | None, told: str, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(KataError) as refused:
        rows(path)
    assert told in str(refused.value) and str(refused.value).startswith(str(path))
    assert str(refused.value).isprintable()


def test_a_table_is_written_back_as_it_came(tmp_path: Path) -> None:
    text = 'Name;"Note; to all";3\r\n Ada ;"a ""b""";\r\nBo;;007\r\n'
    (tmp_path / "a.csv").write_text(text, "utf-8", newline="")
    assert read_table(tmp_path / "a.csv").text() == text
