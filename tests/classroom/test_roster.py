"""CSVs about a class: rosters as programs write them, Moodle's worksheets, dates, and every problem at once; see roster.yml."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.final_points import HandIn
from grader.classroom.roster import Learner, find_learner, read_roster
from grader.course import Course, load_course
from grader.csv_file import MOST_BYTES, lacking, read_date, read_table
from grader.errors import KataError
from tests.cases import rows, table

TABLE: Mapping[str, Any] = table(__file__, "roster.yml")
WORKSHEETS = sorted(Path(__file__).with_name("worksheets").glob("*.csv"))
"""Of Ada, who has handed in, and Bo, who has not, with the titles of Moodle's language packs."""
GERMAN = Path(__file__).with_name("worksheets") / "german.csv"
NOON = datetime(2026, 3, 1, 12, 14)


@pytest.fixture
def vienna(make_course: Callable[..., Path], tmp_path: Path) -> Course:
    """Two units, the first of which is due; times are those of Vienna."""
    root = make_course(tmp_path / "course", "01_parts/01_share", "01_parts/02_cut", "02_more/01_split")
    policy = "policy:\n  time_zone: Europe/Vienna\n  due: {01_parts: 2026-03-01 12:00}\n"
    text = (root / "course.yml").read_text("utf-8").replace("documents:\n", f"{policy}documents:\n", 1)
    (root / "course.yml").write_text(text, "utf-8")
    return load_course(root / "course.yml")


@pytest.fixture
def read(vienna: Course, tmp_path: Path) -> Callable[..., tuple[Learner, ...]]:
    """Reads a roster in the course of Vienna, with another policy if one is given."""

    def roster(content: bytes, policy: Any = None) -> tuple[Learner, ...]:
        (tmp_path / "roster.csv").write_bytes(content)
        changed = vienna.policy.model_copy(update=policy or {})
        return read_roster(tmp_path / "roster.csv", vienna.model_copy(update={"policy": changed}))

    return roster


@rows(TABLE["rosters"])
def test_columns_are_found_by_their_titles(case: Any, read: Callable[..., tuple[Learner, ...]]) -> None:
    found = [
        (each.id, each.name, each.email, each.hand_in)
        for each in read(case["text"].encode(case.get("encoding", "utf-8")))
    ]
    ada, zoe = ("a1", "Ada Lovelace", "ada@uni.example"), ("z2", "Zoë O'Neil", "zoe@uni.example")
    assert found == [(*ada, HandIn()), (*zoe, HandIn())]


@rows(TABLE["learners"])
def test_learner_is_what_the_roster_says(case: Any, read: Callable[..., tuple[Learner, ...]]) -> None:
    wanted = {name: tuple(said) if isinstance(said, list) else said for name, said in case.items()}
    (learner,) = read(wanted.pop("text").encode(), wanted.pop("policy", None))
    at = {unit: f"{moment.astimezone(timezone.utc):%Y-%m-%d %H:%M}" for unit, moment in learner.hand_in.at.items()}
    said = {**vars(learner), **vars(learner.hand_in), "at": at}
    assert {name: said[name] for name in wanted} == wanted


@rows(TABLE["problems"])
def test_every_problem_is_told_with_its_place(
    case: Any, read: Callable[..., tuple[Learner, ...]], tmp_path: Path
) -> None:
    with pytest.raises(KataError) as refused:
        read(case["text"].encode(), case.get("policy"))
    lines = str(refused.value).replace(str(tmp_path / "roster.csv"), "").splitlines()
    told = [line.lstrip(", ") for line in lines]
    assert len(told) == len(case["told"]) and all(map(str.startswith, told, case["told"])), told


# --- Moodle's worksheet -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";"], ids=["comma", "semicolon"])
@pytest.mark.parametrize("worksheet", WORKSHEETS, ids=[path.stem for path in WORKSHEETS])
def test_a_worksheet_is_a_roster_in_every_language(
    worksheet: Path, delimiter: str, tmp_path: Path, vienna: Course
) -> None:
    rows = csv.reader(worksheet.read_text("utf-8-sig").splitlines())
    with (tmp_path / "worksheet.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    found = read_roster(tmp_path / "worksheet.csv", vienna)
    assert found == (
        Learner("0815", "Ada Byron", "ada@x.example", ("0815",), "9001", sis_id="0815"),
        Learner("0816", "Bo Chen", "bo@x.example", ("0816",), "9002", sis_id="0816"),
    )
    assert [each.hand_in.at for each in found] == [{"*": NOON.replace(hour=11, tzinfo=timezone.utc)}, {}]


def test_a_time_that_is_none_is_told_and_nothing_is_guessed(read: Callable[..., tuple[Learner, ...]]) -> None:
    odd = GERMAN.read_text("utf-8-sig").replace("Sonntag, 1. März", "Sonntag, 1. Lenz")
    with pytest.raises(KataError, match=r"line 2, `Zuletzt geändert \(Abgabe\)`: `Sonntag"):
        read(odd.encode())


# --- any table --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_delimiter_in_any_encoding_of_spreadsheets(delimiter: str, encoding: str, tmp_path: Path) -> None:
    lines = [["Mark ", " Learner"], ["3", "Zoë O'Neil "], ["", ""], ['"4"', '"Lee, ""Bo"""'], ["007"]]
    text = "\r\n".join(delimiter.join(line) for line in lines)
    (tmp_path / "marks.csv").write_bytes(text.encode(encoding))
    table = read_table(tmp_path / "marks.csv")
    assert (table.titles, table.columns, table.delimiter) == (("Mark ", " Learner"), ("mark", "learner"), delimiter)
    assert table.rows == ((2, ("3", "Zoë O'Neil ")), (4, ("4", 'Lee, "Bo"')), (5, ("007", "")))


def test_columns_stand_in_the_order_of_the_titles_that_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_text("name,id,points,mark,ID\n", "utf-8")
    table = read_table(tmp_path / "marks.csv")
    assert table.places(("mark", "id", "unit")) == [3, 1, 4] and table.place("mark", "points") == 3
    assert table.place("unit") is None


@rows(TABLE["tables"])
def test_what_is_no_table_is_one_sentence(case: Any, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    if "text" in case or "size" in case:
        path.write_bytes(case.get("text", "").encode() or b"x" * case["size"])
    with pytest.raises(KataError) as refused:
        read_table(path)
    assert case["told"] in str(refused.value) and str(refused.value).startswith(str(path))
    assert str(refused.value).isprintable() and case.get("size") in (None, MOST_BYTES + 1)


def test_table_without_a_column_is_told_with_one_that_works(tmp_path: Path) -> None:
    """A title that would clear the terminal is shown as what it is."""
    for content, told in (
        ("", "marks.csv has no column for marks: it is empty."),
        (
            "learner,mar\x1b[2Jk\nada,3\n",
            r"marks.csv has no column for marks: its first line is 'learner,mar\x1b[2Jk'. "
            r"This writes one that works: printf 'id,mark\nada,3\n' > example.csv",
        ),
    ):
        (tmp_path / "marks.csv").write_text(content)
        sentence = lacking(read_table(tmp_path / "marks.csv"), "column for marks", "id,mark", "ada,3")
        assert told in sentence and sentence.isprintable()


def test_a_table_is_written_back_as_it_came(tmp_path: Path) -> None:
    text = 'Name;"Note; to all";3\r\n Ada ;"a ""b""";\r\nBo;;007\r\n'
    (tmp_path / "a.csv").write_text(text, "utf-8", newline="")
    assert read_table(tmp_path / "a.csv").text() == text


# --- dates ------------------------------------------------------------------------------------------------------------


@rows(TABLE["dates"])
def test_date_is_read(case: str) -> None:
    assert read_date(case) == NOON


@pytest.mark.parametrize(("text", "hour"), [("12:14 AM", 0), ("11:14 p.m.", 23), ("23:14", 23)], ids=str)
def test_halves_of_the_day_are_told_apart(text: str, hour: int) -> None:
    assert read_date(f"Sunday, 1 March 2026, {text}") == datetime(2026, 3, 1, hour, 14)


@pytest.mark.parametrize("text", [*TABLE["no_dates"], "a" * 5000], ids=lambda text: text[:40] or "nothing")
def test_nothing_is_guessed(text: str) -> None:
    assert read_date(text) is None


def test_without_the_library_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dateparser", None)
    assert read_date("2026-03-01 12:14") is None  # what needs no library is no question for it
    with pytest.raises(KataError, match=r"dateparser is not installed.* make instructor"):
        read_date("Sunday, 1 March 2026, 12:14 PM")


# --- who is meant -----------------------------------------------------------------------------------------------------

CLASS = (
    Learner("1815", "Ada Byron", "ada@uni.example", ("1815", "ab12")),
    Learner("1816", "Li, Bo", "bo@uni.example", ("1816",)),
    Learner("1817", "Bo Li", ids=("1817",)),
)


@pytest.mark.parametrize("text", ["1815", "AB12", "ADA@uni.example", "ada byron", "Byron Ada"], ids=str)
def test_learner_is_found_by_id_login_email_and_name(text: str) -> None:
    assert find_learner(CLASS, text, "OUT", "kata explain OUT").id == "1815"


def test_who_is_nobody_or_several_is_asked_for() -> None:
    nobody = "Nobody in OUT is called 'Ada'. Ids there look like '1815', '1816', '1817', such as: kata explain OUT 1815"
    for text, told in (("Bo Li", "'Bo Li' could be 2 learners: give one of the ids 1816, 1817."), ("Ada", nobody)):
        with pytest.raises(KataError) as refused:
            find_learner(CLASS, text, "OUT", "kata explain OUT")
        assert str(refused.value) == told
