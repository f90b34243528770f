"""The platforms that take our files, each reading them by the rules of its own importer or specification."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from jsonschema import Draft202012Validator

from grader.classroom.roster import Learner
from tests.cases import table

Marks = dict[str, dict[str, float | str | None]]


def rows_of(text: str) -> list[list[str]]:
    """The rows of a CSV, all as wide as the first."""
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))
    assert {len(row) for row in rows} == {len(rows[0])}
    return rows


class Canvas:
    """A course in Canvas that imports a file as lib/gradebook_importer.rb of instructure/canvas-lms does."""

    about_students = 5  # columns: name, ID, the two of the SIS, section
    not_assignments = re.compile(
        "Current Score|Current Points|Current Grade|Final Score|Final Points|Final Grade"
        "|Override Score|Override Grade|Override Status"
    )

    def __init__(self, students: Sequence[Learner] = ()) -> None:
        self.students = students
        self.points_possible: dict[str, str] = {}
        self.unknown: list[str] = []

    def take(self, text: str) -> Marks:
        assert self._separator(text.splitlines(keepends=True)[:3]) == "," and not text.startswith("\ufeff")
        header, *rows = rows_of(text)
        assert len(header) > 3 and "Student" in header[0] and "ID" in header[1], "InvalidHeaderRow"
        assert re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3])
        assert "Section" in header[self.about_students - 1], "InvalidHeaderRow"
        titles = [title for title in header[self.about_students :] if not self.not_assignments.search(title)]
        assert not [title for title in titles if re.search(r"\s\(\d+\)$", title)], "taken for an assignment's number"
        places = {title: header.index(title) for title in titles}
        assert len(places) == len(titles), "two assignments of one title: the first gets both"
        marks: Marks = {}
        for row in rows:
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
        name, *ids, _section = row[: self.about_students]
        for student in self.students:
            known = (student.own_id, student.sis_id, student.login)
            if any(id and id == own for id, own in zip(ids, known, strict=True)):
                return student.name
        if name not in [student.name for student in self.students]:
            self.unknown.append(name)
        return name


class ImportAborted(Exception):
    """Nothing of the file was imported."""


class Moodle:
    """A course in Moodle that imports a file as grade/import/csv/classes/load_data.php of moodle/moodle does.

    Every column but the name and the identifier is mapped to a new grade item.
    """

    most = 100.0

    def __init__(self, *users: str) -> None:
        self.users = users

    def take(self, text: str) -> Marks:
        header, *lines = rows_of(text)
        assert header[0] == "Full name" and len(set(header)) == len(header)
        user = None
        marks: Marks = {}
        for line in lines:
            identifier = line[1].strip()
            if identifier not in ("", "0"):  # PHP's empty(): with such a field the last line's user stays
                if identifier not in self.users:
                    raise ImportAborted(f"no user {identifier!r}")
                user = identifier
            if user is None:
                raise ImportAborted("no user at all")
            assert user not in marks, "two lines for one user"
            graded = zip(header[2:], line[2:], strict=True)
            marks[user] = {title: self._grade(value.strip()) for title, value in graded}
        return marks

    def _grade(self, value: str) -> float | None:
        if value == "-":
            return None
        grade = float(value)
        if grade > self.most:
            raise ImportAborted(f"{grade} is too big")
        return grade


SCHEMAS = table(__file__, "schemas.yml")
RUNNER_RESULT, GRADED, JUNIT = (Draft202012Validator(SCHEMAS[name]) for name in ("github", "gradescope", "junit"))
MOST_OF_ONE_VARIABLE = 131_072
"""Bytes of one environment variable on Linux, its name included."""


def github_report(text: str) -> tuple[float | None, float, str | None]:
    """What classroom-resources/autograding-grading-reporter makes of a result (src/main.js, notify-classroom.js).

    The total and the maximum of the points, and what failed.
    """
    encoded = base64.b64encode(text.encode()).decode()
    assert len(f"KATA_RESULTS={encoded}") < MOST_OF_ONE_VARIABLE
    result: dict[str, Any] = json.loads(base64.b64decode(encoded))
    RUNNER_RESULT.validate(result)
    most = result.get("max_score") or 0
    failed = {"fail": "Some tests failed.", "error": "Some tests errored."}.get(result["status"])
    return sum(test["score"] for test in result["tests"]) if most else None, most, failed


def gradescope_result(text: str) -> tuple[float | None, dict[str, Any]]:
    """The score that Gradescope shows by its "Autograder Specifications", None for no grade, and the whole result."""
    result: dict[str, Any] = json.loads(text)
    GRADED.validate(result)
    # a score is "optional, but required if not on each test case", and the other way round
    tests = result.get("tests", [])
    is_graded = "score" in result or (tests and all("score" in test for test in tests))
    return result["score"] if is_graded else None, result


def junit_suites(text: str) -> Element:
    """The suites of a file that holds to JUnit.xsd (windyroad/JUnit-Schema)."""
    root = fromstring(text.encode())
    JUNIT.validate(_as_data(root))
    for id, suite in enumerate(root):
        assert suite.get("id") == str(id) and [each.tag for each in suite][-2:] == ["system-out", "system-err"]
        counted = {"tests": len(suite.findall("testcase"))}
        counted |= {f"{tag}s": len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "error")}
        counted["skipped"] = len(suite.findall("testcase/skipped"))
        assert {name: int(suite.attrib[name]) for name in counted} == counted
    return root


def _as_data(element: Element) -> dict[str, Any]:
    return {"tag": element.tag, "has": dict(element.attrib), "in": [_as_data(each) for each in element]}
