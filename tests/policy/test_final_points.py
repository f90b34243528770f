"""From graded points to final ones: cases in final_points.yml, and two properties of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.classroom.final_points import HandIn, Override, adjusted, duration, moment, unadjusted
from grader.course import Course
from grader.course.moments import placed, read_moment
from grader.record import Record

VIENNA = ZoneInfo("Europe/Vienna")
DUE = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)

MakeCourse = Callable[..., Course]
MakeRecord = Callable[..., Record]


def time(text: str) -> datetime:
    """A moment; in Vienna unless it says otherwise."""
    read = read_moment(text)
    assert read is not None, text
    found = placed(read, VIENNA)
    assert found is not None
    return found


@dataclass(frozen=True)
class Case:
    """What is graded and known, and what must come of it, as final_points.yml says."""

    policy: Any
    points: list[float]
    final: list[float] = field(default_factory=list)
    total: list[float] = field(default_factory=list)
    says: list[str] | None = None
    at: Any = None
    extra_days: Any = None
    exempt: tuple[str, ...] = ()
    overrides: Mapping[str, float] = field(default_factory=dict)
    extra_credit: bool = False
    withdrawn: float | None = None
    unchanged: bool = False

    def record(self, make: MakeRecord) -> Record:
        points = dict(zip(("share", "split", "extra"), map(float, self.points), strict=False))
        return make(**points, **({} if self.withdrawn is None else {"gone": float(self.withdrawn)}))

    @property
    def hand_in(self) -> HandIn:
        return HandIn(
            at={unit: time(str(when)) for unit, when in by_unit(self.at).items()},
            extra_days=by_unit(self.extra_days),
            overrides={id: Override(points, "Talked.") for id, points in self.overrides.items()},
            exempt=tuple(self.exempt),
        )


def by_unit(known: Any) -> Mapping[str, Any]:
    """What the table says of each unit, else of every unit."""
    return known if isinstance(known, dict) else {} if known is None else {"*": known}


class Reader(yaml.SafeLoader):
    """Reads times as texts: a YAML reader would take away how they are written."""


Reader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in known if not tag.endswith(":timestamp")]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_TABLE = yaml.load(Path(__file__).with_name("final_points.yml").read_text("utf-8"), Reader)
POLICIES: Mapping[str, Any] = _TABLE["policies"]
CASES = {name: Case(**case) for name, case in _TABLE["cases"].items()}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_final_points_and_reasons(case: Case, make_course_of: MakeCourse, make_record_of: MakeRecord) -> None:
    policy = POLICIES[case.policy] if isinstance(case.policy, str) else case.policy
    course, graded = make_course_of(policy, extra_credit=case.extra_credit), case.record(make_record_of)
    record = adjusted(graded, course, case.hand_in)
    if case.unchanged:
        assert record.to_json() == graded.to_json()
        record = adjusted(graded, course, case.hand_in, always=True)
        assert (record.final_points, record.final_max_points) == (graded.points, graded.max_points)
        return
    assert [each.final_points for each in record.exercises] == case.final
    assert record.final_points == pytest.approx(sum(case.final), abs=1e-9)
    if case.total:
        assert [record.final_points, record.final_max_points] == case.total
    changes = record.adjustments or ()
    lost = record.points - (record.final_points or 0.0)
    assert sum(each.points for each in changes) == pytest.approx(-lost, abs=1e-9)
    if case.says is None:
        assert len(changes) == bool(lost), "whoever loses points is told why, and nobody else is told anything"
    else:
        for each, said in zip(changes, case.says, strict=True):
            change, _, reason = said.partition(" | ")
            start, shortened, _ = reason.partition("...")
            assert each.reason.startswith(start) if shortened else each.reason == reason
            assert each.points == float(change)
    assert unadjusted(record) == graded
    assert adjusted(record, course, case.hand_in) == record, "it starts from the graded points"


def test_everybody_has_final_points_where_somebody_has(make_course_of: MakeCourse, make_record_of: MakeRecord) -> None:
    course, graded = make_course_of({}), make_record_of(share=80.0)
    assert adjusted(graded, course, HandIn()) == graded
    assert adjusted(graded, course, HandIn(), always=True).adjustments == ()


cents = st.integers(0, 10_000).map(lambda hundredths: hundredths / 100)
any_points = st.one_of(cents, st.floats(0, 100).map(lambda points: round(points, 6)))
seconds = st.integers(-10 * 86_400, 400 * 86_400)
graded_points = st.lists(any_points, min_size=3, max_size=3)


def graded_and_final(points: list[float], late: int, course: Course, make: MakeRecord) -> tuple[Record, Record]:
    """The graded record, and what it comes to when it is handed in so many seconds after it was due."""
    graded = make(**dict(zip(("share", "split", "extra"), points, strict=True)))
    return graded, adjusted(graded, course, HandIn(at={"*": DUE + timedelta(seconds=late)}))


@pytest.fixture(scope="module")
def course(make_course_of: MakeCourse) -> Course:
    return make_course_of(POLICIES["to the half"])


@settings(deadline=None, max_examples=150)
@given(points=graded_points, late=seconds)
def test_final_points_are_never_above_the_graded_ones_nor_below_zero(
    points: list[float], late: int, course: Course, make_record_of: MakeRecord
) -> None:
    graded, final = graded_and_final(points, late, course, make_record_of)
    for before, after in zip(graded.exercises, final.exercises, strict=True):
        assert after.final_points is not None and 0 <= after.final_points <= before.points
    assert 0 <= final.counted_points <= graded.points + 1e-6
    assert Record.from_json(final.to_json()) == final


@settings(deadline=None, max_examples=150)
@given(points=graded_points, first=seconds, second=seconds)
def test_being_later_never_helps(
    points: list[float], first: int, second: int, course: Course, make_record_of: MakeRecord
) -> None:
    sooner, later = (graded_and_final(points, late, course, make_record_of)[1] for late in sorted((first, second)))
    for early, tardy in zip(sooner.exercises, later.exercises, strict=True):
        assert tardy.counted_points <= early.counted_points
    assert later.counted_points <= sooner.counted_points


@pytest.mark.parametrize(
    ("length", "told"),
    [
        pytest.param(timedelta(days=1, hours=3, minutes=5), "1 day and 3 hours", id="days and hours"),
        pytest.param(timedelta(days=2, minutes=5), "2 days", id="days and minutes"),
        pytest.param(timedelta(hours=1, minutes=1), "1 hour and 1 minute", id="hours and minutes"),
        pytest.param(timedelta(minutes=15), "15 minutes", id="minutes"),
        pytest.param(timedelta(seconds=1), "1 second", id="a second"),
        pytest.param(timedelta(milliseconds=1), "less than a second", id="less than a second"),
    ],
)
def test_length_of_time_in_words(length: timedelta, told: str) -> None:
    assert duration(length) == told


@pytest.mark.parametrize(
    ("when", "told"),
    [
        pytest.param(time("2026-03-01 12:00"), "1 March 2026, 12:00 CET", id="a zone with a name"),
        pytest.param(time("2026-08-01 09:05:07"), "1 August 2026, 09:05:07 CEST", id="seconds, in summer"),
        pytest.param(time("2026-03-01 12:00Z"), "1 March 2026, 12:00 UTC", id="UTC"),
        pytest.param(time("2026-03-01 12:00 +05:30"), "1 March 2026, 12:00 UTC+05:30", id="an offset"),
        pytest.param(
            datetime(2026, 3, 1, 12, tzinfo=ZoneInfo("America/Sao_Paulo")),
            "1 March 2026, 12:00 UTC-03",
            id="a zone without a name",
        ),
    ],
)
def test_moment_in_words(when: datetime, told: str) -> None:
    assert moment(when) == told


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2026-03-01", id="no time of day"),
        pytest.param("12:00", id="no date"),
        pytest.param("2026-02-30 12:00", id="no such day"),
        pytest.param("2026-03-01 24:00", id="no such hour"),
        pytest.param("2026-03-01 12:00 +01:60", id="no such offset"),
        pytest.param("2026-03-01 12:00 +24:00", id="an offset of a day"),
        pytest.param("2026-03-01 12:00Z+01:00", id="two zones"),
        pytest.param("0001-01-01 00:00", id="before anybody handed in"),
        pytest.param("9999-12-31 23:59", id="too late to add days"),
        pytest.param("2026-03-01 12:00 CET", id="a name for a zone"),
        pytest.param("٢٠٢٦-03-01 12:00", id="digits of another script"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_no_moment(text: str) -> None:
    assert read_moment(text) is None
