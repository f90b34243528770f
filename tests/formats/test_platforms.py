"""Each format's file, read back by the platform that takes it: the right marks for the right learners, whatever their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.roster import Learner, read_roster
from grader.course import Unit, load_course
from grader.csv_file import read_table
from grader.errors import KataError
from grader.formats.moodle import roster_of
from grader.record import Record
from tests.cases import rows

from .conftest import CASES, HOSTILE_NAMES, TITLES, adjusted, course_of, enrolled, exercise, known_as, record
from .platforms import Canvas, Moodle, github_report, gradescope_result, junit_suites, rows_of

Export = Callable[..., dict[str, str]]

ADA = known_as("Ada Lovelace", own_id="101", sis_id="S-7", login="ada", email="Ada@example.org")
FORMULAS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


def listed(roster: Mapping[str, Learner | None]) -> list[Learner]:
    return [enrolled(id, person) for id, person in roster.items() if person]


def marks_in(format: str, text: str, roster: Mapping[str, Learner | None]) -> dict[str, Any]:
    """What Canvas or Moodle, where these are enrolled, makes of a file."""
    people = list(filter(None, roster.values()))
    if format == "canvas":
        canvas = Canvas(people)
        marks = canvas.take(text)
        assert not (people and canvas.unknown) or canvas.unknown == ["stranger"]
        return marks
    return Moodle(*(id for each in people for id in (each.email, each.sis_id, each.login)), "ada").take(text)


@rows(CASES["rosters"])
def test_marks_reach_those_whom_the_roster_means(case: dict[str, Any], exported: Export, said: list[str]) -> None:
    format, told = case["format"], case.get("says", "")
    roster = {id: known_as(**known) if known else None for id, known in case["learners"].items()}
    text = exported(format, *map(record, roster), learners=listed(roster))[f"{format}.csv"]
    marks = marks_in(format, text, roster)
    assert {who: {title: float(mark) for title, mark in of.items()} for who, of in marks.items()} == {
        who: {"Attention Kata": 5} for who in case["marks"]
    }
    assert told in "\n".join(said) and bool(told) == bool(said)


@pytest.mark.parametrize("format", ["canvas", "moodle"])
def test_two_learners_who_cannot_be_told_apart_are_refused(format: str, exported: Export) -> None:
    roster = {name: known_as(name, login="x") for name in ("Ada", "Bo")}
    with pytest.raises(KataError, match="could not be told apart"):
        exported(format, *map(record, roster), learners=listed(roster))


def test_namesakes_of_whom_only_the_name_is_known_are_refused(exported: Export) -> None:
    twins = [Learner(id, "Li Wei", in_roster=False) for id in ("1", "2")]
    with pytest.raises(KataError, match="Two learners are called 'Li Wei'; the marks could not be told apart"):
        exported("canvas", record("1"), record("2"), learners=twins)


@rows(CASES["saved"])
def test_roster_comes_back_as_it_was_when_the_class_was_graded(
    case: dict[str, Any], tmp_path: Path, tiny_course: Path
) -> None:
    (tmp_path / "roster.csv").write_text(case["text"], "utf-8")
    (found,) = read_roster(tmp_path / "roster.csv", load_course(tiny_course / "course.yml"))
    table, ids = roster_of([found]) or pytest.fail("the roster is lost")
    cells = [cell for _, row in read_table(tmp_path / "roster.csv").rows for cell in row]
    assert ids == (found.id,) and set(table.rows[0][1]) <= set(cells)
    assert [found.name, found.own_id, found.sis_id, found.login, found.email] == case["person"]


@rows(HOSTILE_NAMES, "name")
def test_no_name_disturbs_any_format(name: str, exported: Export) -> None:
    people = {name: known_as(name, login=name, email="x@example.org"), "ada": ADA}

    def export(format: str, **options: Any) -> list[str]:
        files = exported(format, record(name), record("ada"), learners=listed(people), **options)
        assert all(Path(made).name == made and len(made.encode()) < 255 for made in files)
        return list(files.values())

    for by, count in (("learner", 2), ("exercise", 6)):
        _, *rows = rows_of(*export("csv", by=by))
        assert len(rows) == count and not [cell for row in rows for cell in row if cell.lstrip().startswith(FORMULAS)]
    (text,) = export("canvas", by="unit")
    canvas = Canvas()
    assert len(canvas.take(text)) == 2 and list(canvas.points_possible.values()) == ["4", "8"]
    assert not [row for row in rows_of(text) if row[0].startswith(FORMULAS)]
    (text,) = export("moodle")
    assert len(Moodle("x@example.org", "Ada@example.org").take(text)) == len(text.splitlines()) - 1 == 2
    assert not [row for row in rows_of(text) if row[0].startswith(FORMULAS)]
    assert len(junit_suites(*export("junit"))) == 2
    assert [gradescope_result(each)[0] for each in export("gradescope")] == [5, 5]
    assert [github_report(each)[0] for each in export("github")] == [5, 5]


@pytest.mark.parametrize("key", ["comma", "quote", "emoji"])
def test_harmless_names_come_through_as_they_are(key: str, exported: Export) -> None:
    _, row = rows_of(exported("csv", record(HOSTILE_NAMES[key]))["grades.csv"])
    assert row[1] == HOSTILE_NAMES[key]


def test_identifiers_are_written_as_canvas_knows_them(exported: Export) -> None:
    person = known_as("Zoë 🦊", own_id="007", sis_id="0012.50", login="zoe,fox@example.org")
    *_, row = rows_of(exported("canvas", record("007"), learners=[enrolled("007", person)])["canvas.csv"])
    assert row[:5] == ["Zoë 🦊", "007", "", "zoe,fox@example.org", ""]


@rows(CASES["titles"], "titles", "expected")
def test_titles_are_titles_to_canvas(titles: dict[str, str], expected: list[str], exported: Export) -> None:
    canvas = Canvas()
    canvas.take(exported("canvas", record("ada"), by="exercise", titles=titles)["canvas.csv"])
    assert list(canvas.points_possible) == expected


@pytest.mark.parametrize(
    ("format", "options", "told"),
    [
        ("canvas", {"by": "exercise", "titles": {"softmax": "My Final Score"}}, "Canvas keeps the title 'My Final Score'"),
        ("csv", {"by": "unit"}, "not by unit"),
        ("csv", {"units": [Unit.model_construct(folder="09_more", title="More", exercises=())]}, "Nothing of 09_more was graded"),
    ],
)  # fmt: skip
def test_what_a_format_cannot_say_is_refused(format: str, options: dict[str, Any], told: str, exported: Export) -> None:
    with pytest.raises(KataError, match=told):
        exported(format, record("ada"), **options)


# --- points ----------------------------------------------------------------------------------------------------------


def test_more_than_moodles_hundred_is_written_out_of_a_hundred(exported: Export, said: list[str]) -> None:
    big = [exercise(f"e{number}", 4.0 if number < 10 else 0.0) for number in range(40)]
    course = course_of(TITLES, *(each.id for each in big))
    text = exported("moodle", record("ada", *big), course=course)["moodle.csv"]
    assert Moodle("ada").take(text) == {"ada": {"Beyond (out of 100)": 25}}
    assert any("out of" in sentence for sentence in said)
    text = exported("moodle", record("ada", *big), course=course, column="Week 1")["moodle.csv"]
    assert rows_of(text)[0][-1] == "Week 1", "the name that it was given"


def test_points_beyond_what_moodle_takes_are_left_out_aloud(exported: Export, said: list[str]) -> None:
    beyond = [exercise(f"e{number}") for number in range(30)]
    course = course_of(TITLES, *(each.id for each in beyond), on_top=True)
    files = exported("moodle", record("ada", exercise("softmax"), *beyond), course=course)
    assert list(Moodle("ada").take(files["moodle.csv"])["ada"].values()) == [Moodle.most]
    assert any("what extra credit gave beyond that is left out: ada." in sentence for sentence in said)


LONG = [exercise(f"exercise_{number}", 0.0, message=f"{number}" + "林" * 2000) for number in range(60)]


@pytest.mark.parametrize(
    ("graded", "report"),
    [
        pytest.param(record("ada", exercise("softmax")), (4, 4, None), id="all passed"),
        pytest.param(record("ada", *LONG), (0, 240, "Some tests failed."), id="longer than the reporter's variable"),
    ],
)
def test_githubs_reporter_adds_the_points_up(graded: Record, report: tuple[Any, ...], exported: Export) -> None:
    (text,) = exported("github", graded, course=course_of(TITLES, *(each.id for each in LONG))).values()
    assert github_report(text) == report


def test_gradescope_has_no_score_where_nothing_counts(exported: Export) -> None:
    text, _ = exported("gradescope", adjusted("ada", "softmax", "causal_mask", "kv_cache"), adjusted("bo")).values()
    score, result = gradescope_result(text)
    assert score is None and "Nothing of it counts for you, so there is no grade." in result["output"]


def test_what_counts_for_nobody_changes_nobodys_share(exported: Export) -> None:
    (text,) = exported("gradescope", adjusted("ada", "kv_cache")).values()
    score, result = gradescope_result(text)
    assert score == 5 and "In proportion" not in result["output"]


# --- messages --------------------------------------------------------------------------------------------------------


@rows(CASES["messages"], "message")
def test_any_message_makes_good_xml(message: str, exported: Export) -> None:
    files = exported("junit", record("ada", exercise("softmax", 0.0, message=message)))
    assert len(list(junit_suites(files["junit.xml"]).iter("failure"))) == 2


@rows(CASES["columns"], "ids", "unit", "name", "title")
@pytest.mark.parametrize("format", ["canvas", "moodle"])
def test_only_column_is_called_as_the_assignment_is(
    format: str, ids: list[str], unit: int | None, name: str, title: str, exported: Export
) -> None:
    chosen = [] if unit is None else [course_of().units[unit]]
    text = exported(format, record("ada", *map(exercise, ids)), units=chosen, column=name)[f"{format}.csv"]
    assert rows_of(text)[0][-1] == title
