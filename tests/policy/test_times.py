"""CSVs of hand-ins and extensions: whose they are, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.classroom.kept_times import KeptTimes, read_kept_times, write_kept_times
from grader.classroom.members import Learner
from grader.classroom.times import Row, by_learner, read_extensions, read_hand_ins
from grader.course import Course
from grader.errors import KataError

ADA = Learner(name="s1", shown="Ada Lovelace", email="ada@example.org", in_roster=True)
BO = Learner(name="bo", shown="bo")


@pytest.fixture(scope="module")
def course(make_course_of: Callable[..., Course]) -> Course:
    return make_course_of("time_zone: Europe/Vienna\ndue:\n  01_parts: 2026-03-01 12:00")


def utc(*parts: int) -> datetime:
    year, month, day, *clock = parts
    return datetime(year, month, day, *clock, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param("learner,time\nbo,2026-03-01 12:00\n", [Row("bo", "*", utc(2026, 3, 1, 11))], id="plain"),
        pytest.param(
            "Time;Student ID;Unit\n2026-03-01T12:00:00Z;s1;01_parts\n",
            [Row("s1", "01_parts", utc(2026, 3, 1, 12))],
            id="other order, names and separator",
        ),
        pytest.param(
            "learner,unit,time\nbo,*,2026-03-01 12:00 -05:00\n\nada,,\n",
            [Row("bo", "*", utc(2026, 3, 1, 17))],
            id="a star, an empty line, and somebody who handed in nothing",
        ),
    ],
)
def test_rows_of_hand_ins(text: str, rows: list[Row], course: Course, tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text(text, "utf-8")
    assert read_hand_ins(tmp_path / "times.csv", course) == rows


def test_time_that_clocks_show_twice_is_taken_in_the_learners_favour(course: Course, tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("learner,time\nbo,2026-10-25 02:30\n", "utf-8")
    (early,), (later,) = (read(tmp_path / "times.csv", course) for read in (read_hand_ins, read_extensions))
    assert (early.moment, later.moment) == (utc(2026, 10, 25, 0, 30), utc(2026, 10, 25, 1, 30))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "has no columns for learners and times", id="empty"),
        pytest.param("learner,when\nbo,2026-03-01 12:00\n", "has no columns for learners and times", id="no time"),
        pytest.param("learner,time\nbo,yesterday\n", "row 2: `yesterday` is not a date and a time", id="no moment"),
        pytest.param("learner,time\n,2026-03-01 12:00\n", "row 2: there is no learner", id="nobody"),
        pytest.param(
            "learner,time,unit\nbo,2026-03-01 12:00,9\n", "row 2: there is no unit `9` in the course", id="no such unit"
        ),
        pytest.param(
            "learner,time\nbo,2026-03-01 12:00\nbo,2026-03-02 12:00\n", "row 3: `bo` is in row 2 already", id="twice"
        ),
        pytest.param('learner,time\nbo,"2026-03-01', "this is not a CSV file", id="an open quote"),
    ],
)
def test_what_is_wrong_is_one_sentence(text: str, said: str, course: Course, tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text(text, "utf-8")
    with pytest.raises(KataError) as refused:
        read_hand_ins(tmp_path / "times.csv", course)
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_time_without_any_zone_is_refused(make_course_of: Callable[..., Course], tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("learner,time\nbo,2026-03-01 12:00\n", "utf-8")
    with pytest.raises(KataError, match="nobody knows in which time zone"):
        read_hand_ins(tmp_path / "times.csv", make_course_of("due:\n  01_parts: 2026-03-01 12:00Z"))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        pytest.param("s1", "s1", id="id"),
        pytest.param("S1", "s1", id="id in capitals"),
        pytest.param("ada@example.org", "s1", id="email"),
        pytest.param("lovelace, ada", "s1", id="name"),
        pytest.param("bo", "bo", id="a learner without a roster"),
    ],
)
def test_learner_is_found_as_in_a_roster(written: str, name: str) -> None:
    moment = utc(2026, 3, 1)
    assert by_learner([Row(written, "*", moment)], [ADA, BO]) == ({name: {"*": moment}}, ())


def test_unknown_learners_are_named_once_and_of_two_rows_the_later_counts() -> None:
    sooner, later = utc(2026, 3, 1), utc(2026, 3, 2)
    rows = [Row("zed", "*", sooner), Row("zed", "01_parts", sooner), Row("s1", "*", later), Row("ada", "*", sooner)]
    found, unknown = by_learner(rows, [ADA, BO])
    assert (found, unknown) == ({"s1": {"*": later}}, ("zed",))


def test_what_was_told_is_kept_and_told_again_replaces_it(tmp_path: Path) -> None:
    first, second = Row("bo", "*", utc(2026, 3, 1)), Row("s1", "01_parts", utc(2026, 3, 2))
    write_kept_times(tmp_path, KeptTimes(handed_in=(first,), extensions=(second,)))
    kept = KeptTimes(handed_in=(second,)).over(read_kept_times(tmp_path))
    assert (kept.handed_in, kept.extensions) == ((second,), (second,))


def test_damaged_times_are_refused(tmp_path: Path) -> None:
    (tmp_path / "times.json").write_text("{")
    with pytest.raises(KataError, match="nobody knows who was late"):
        read_kept_times(tmp_path)


@pytest.mark.parametrize(
    ("row", "until"),
    [
        pytest.param("ada,,3", {"01_parts": (4, 11), "02_more": (11, 11)}, id="every unit"),
        pytest.param("ada,02_more,3", {"02_more": (11, 11)}, id="one unit"),
        pytest.param("ada,01_parts,0.5", {"01_parts": (1, 23)}, id="half a day"),
    ],
)
def test_extra_days_are_given_to_each_unit_that_is_due(
    row: str, until: dict[str, tuple[int, int]], tmp_path: Path, make_course_of: Callable[..., Course]
) -> None:
    course = make_course_of("due: {01_parts: 2026-03-01 11:00 +00:00, 02_more: 2026-03-08 11:00 +00:00}")
    (tmp_path / "more.csv").write_text(f"learner,unit,days\n{row}\n", "utf-8")
    rows = read_extensions(tmp_path / "more.csv", course)
    assert {each.unit: (each.moment.day, each.moment.hour) for each in rows} == until
    assert {each.learner for each in rows} == {"ada"}


def test_days_and_times_stand_in_one_file(tmp_path: Path, make_course_of: Callable[..., Course]) -> None:
    course = make_course_of("due: {01_parts: 2026-03-01 11:00 +00:00}")
    (tmp_path / "more.csv").write_text(
        "learner,unit,until,days\nada,01_parts,2026-03-09 11:00 +00:00,\nbo,01_parts,,2\ncy,,,\n", "utf-8"
    )
    rows = read_extensions(tmp_path / "more.csv", course)
    assert [(each.learner, each.moment.day) for each in rows] == [("ada", 9), ("bo", 3)]


@pytest.mark.parametrize("days", ["-1", "0", "many", "1e3", "400"], ids=str)
def test_what_is_no_number_of_days_is_told(days: str, tmp_path: Path, make_course_of: Callable[..., Course]) -> None:
    course = make_course_of("due: {01_parts: 2026-03-01 11:00 +00:00}")
    (tmp_path / "more.csv").write_text(f"learner,days\nada,{days}\n", "utf-8")
    with pytest.raises(KataError, match=r"row 2: .* is no number of days"):
        read_extensions(tmp_path / "more.csv", course)


def test_what_earlier_versions_kept_besides_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "times.json").write_text('{"version": 1, "handed_in": [], "extensions": null, "hints": []}')
    assert read_kept_times(tmp_path) == KeptTimes(handed_in=())
