"""The file for Canvas, read back by the rules of Canvas's own importer."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from grader.errors import KataError
from grader.formats.people import Person

from .conftest import HOSTILE_NAMES, TITLES, record

Export = Callable[..., dict[str, str]]
Marks = dict[str, dict[str, str]]

INFO = 5  # columns about the student: name, ID, the two of the SIS, section
NOT_ASSIGNMENTS = re.compile(
    "Current Score|Current Points|Current Grade|Final Score|Final Points|Final Grade"
    "|Override Score|Override Grade|Override Status"
)


class Canvas:
    """A course in Canvas that imports a file as lib/gradebook_importer.rb of instructure/canvas-lms does."""

    def __init__(self, students: Sequence[Person] = ()) -> None:
        self.students = students
        self.points_possible: dict[str, str] = {}
        self.unknown: list[str] = []

    def take(self, text: str) -> Marks:
        assert self._separator(text.splitlines(keepends=True)[:3]) == ","
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        header = rows[0]
        assert len(header) > 3 and "Student" in header[0] and "ID" in header[1], "InvalidHeaderRow"
        assert re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3])
        assert "Section" in header[INFO - 1], "InvalidHeaderRow"
        titles = [title for title in header[INFO:] if not NOT_ASSIGNMENTS.search(title)]
        assert not [title for title in titles if re.search(r"\s\(\d+\)$", title)], "taken for an assignment's number"
        places = {title: header.index(title) for title in titles}
        assert len(places) == len(titles), "two assignments of one title: the first gets both"
        marks: Marks = {}
        for row in rows[1:]:
            assert len(row) == len(header)
            if "Points Possible" in row[0]:
                self.points_possible = {title: row[place] for title, place in places.items()}
                continue
            marks[self._student(row)] = {title: row[place].strip() for title, place in places.items()}
        assert self.points_possible
        return marks

    @staticmethod
    def _separator(lines: list[str]) -> str:
        """The one that cuts the first three lines into the same number of fields, if it cuts more than the other."""
        counts = {}
        for separator in ";,":
            try:
                sizes = {len(next(csv.reader([line], delimiter=separator, strict=True), [])) for line in lines}
            except csv.Error:
                sizes = set()
            counts[separator] = sizes.pop() if len(sizes) == 1 else 0
        return ";" if counts[";"] > counts[","] else ","

    def _student(self, row: list[str]) -> str:
        name, id, sis_id, login, _section = row[:INFO]
        for student in self.students:
            if (
                (id and id == student.own_id)
                or (sis_id and sis_id == student.sis_id)
                or (login and login == student.login)
            ):
                return student.name
        if name not in [student.name for student in self.students]:
            self.unknown.append(name)
        return name


ADA = Person(whole_name="Ada Lovelace", own_id="101", sis_id="S-7", login="ada@example.org")
BO = Person(whole_name="Bo Li", own_id="102", sis_id="S-8", login="boli")


def test_marks_reach_the_students_of_a_roster(class_of: Callable[..., Path], exported: Export, said: list[str]) -> None:
    canvas = Canvas([ADA, BO])
    marks = canvas.take(
        exported(class_of(record("boli"), record("ada_lovelace")), "canvas", roster=[ADA, BO])["canvas.csv"]
    )
    assert marks == {"Bo Li": {"Attention Kata": "5"}, "Ada Lovelace": {"Attention Kata": "5"}}
    assert canvas.points_possible == {"Attention Kata": "12"}
    assert not canvas.unknown and not said


def test_without_a_roster_names_stand_for_themselves(
    class_of: Callable[..., Path], exported: Export, said: list[str]
) -> None:
    canvas = Canvas([ADA])
    marks = canvas.take(exported(class_of(record("Ada Lovelace")), "canvas")["canvas.csv"])
    assert marks == {"Ada Lovelace": {"Attention Kata": "5"}} and not canvas.unknown
    assert "--roster" in said[0]


def test_students_without_a_submission_keep_what_they_have(class_of: Callable[..., Path], exported: Export) -> None:
    marks = Canvas([ADA, BO]).take(exported(class_of(record("boli")), "canvas", roster=[ADA, BO])["canvas.csv"])
    assert list(marks) == ["Bo Li"]  # for an empty field Canvas would propose to remove the mark it has


def test_two_learners_of_one_login_are_refused(class_of: Callable[..., Path], exported: Export) -> None:
    roster = [Person(whole_name=name, own_id=name, login="x") for name in ("Ada", "Bo")]
    with pytest.raises(KataError, match="could not be told apart"):
        exported(class_of(record("Ada"), record("Bo")), "canvas", roster=roster)


def test_a_submission_that_the_roster_lacks_is_named(
    class_of: Callable[..., Path], exported: Export, said: list[str]
) -> None:
    canvas = Canvas([ADA])
    canvas.take(exported(class_of(record("stranger")), "canvas", roster=[ADA])["canvas.csv"])
    assert canvas.unknown == ["stranger"] and "stranger" in said[0]


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
def test_no_name_disturbs_the_import(name: str, class_of: Callable[..., Path], exported: Export) -> None:
    canvas = Canvas()
    text = exported(class_of(record(name), record("bo")), "canvas", by="unit")["canvas.csv"]
    marks = canvas.take(text)
    assert len(marks) == 2 and list(canvas.points_possible.values()) == ["4", "8"]
    assert not [
        row for row in csv.reader(io.StringIO(text, newline="")) if row[0].startswith(tuple("=+-@\t\r\n\uff1d"))
    ]
    assert not text.startswith("\ufeff")


def test_identifiers_are_written_as_canvas_knows_them(class_of: Callable[..., Path], exported: Export) -> None:
    person = Person(whole_name="Zoë 🦊", own_id="007", sis_id="0012.50", login="zoe,fox@example.org")
    text = exported(class_of(record("007")), "canvas", roster=[person])["canvas.csv"]
    assert list(csv.reader(io.StringIO(text, newline="")))[2][:INFO] == [
        "Zoë 🦊", "007", "", "zoe,fox@example.org", ""
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("title", "column"),
    [("Heads (2)", "Heads (2)."), ("two\nlines", "two lines")],
    ids=["looks like an assignment's number", "line break"],
)
def test_titles_are_titles(title: str, column: str, class_of: Callable[..., Path], exported: Export) -> None:
    canvas = Canvas()
    canvas.take(
        exported(class_of(record("ada")), "canvas", by="exercise", titles={**TITLES, "softmax": title})["canvas.csv"]
    )
    assert next(iter(canvas.points_possible)) == column


def test_two_exercises_of_one_title_are_told_apart(class_of: Callable[..., Path], exported: Export) -> None:
    canvas = Canvas()
    titles = {"softmax": "Again", "causal_mask": "Again", "kv_cache": "Cache"}
    canvas.take(exported(class_of(record("ada")), "canvas", by="exercise", titles=titles)["canvas.csv"])
    assert list(canvas.points_possible) == ["Again [softmax]", "Again [causal_mask]", "Cache"]


def test_a_title_that_is_canvas_own_is_refused(class_of: Callable[..., Path], exported: Export) -> None:
    with pytest.raises(KataError, match="Final Score"):
        exported(class_of(record("ada")), "canvas", by="exercise", titles={"softmax": "My Final Score"})
