"""From graded points to final ones: cases in final_points.yml, and two properties of all of them; nothing is graded."""

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

from grader.classroom.final_points import HandIn, Override, adjusted, duration, moment
from grader.course import Course, load_course
from grader.course.model import catalogue_of, part_of, placed, read_moment
from grader.record import ExerciseResult, Record
from tests.cases import table
from tests.records import check, exercise, record

VIENNA = ZoneInfo("Europe/Vienna")
DUE = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)

MakeCourse = Callable[..., Course]


TABLE: Mapping[str, Any] = table(__file__, "final_points.yml")


# --- a course of two units, Parts (share, split) and More (extra), and records of it ----------------------------------


def course_of(path: Path, policy: Any, *, extra_credit: bool = False) -> Course:
    """The course of the table with this policy; its second unit can be extra credit."""
    one, other = TABLE["course"]["units"]
    about = {**TABLE["course"], "policy": policy, "units": [one, {**other, "extra_credit": extra_credit}]}
    path.write_text(yaml.safe_dump(about, sort_keys=False), "utf-8")
    return load_course(path)


@pytest.fixture(scope="module")
def make_course_of(tmp_path_factory: pytest.TempPathFactory) -> MakeCourse:
    return lambda *how, **more: course_of(tmp_path_factory.mktemp("course") / "course.yml", *how, **more)


def record_of(**points: float) -> Record:
    """A record in which each exercise has these points of 100."""
    return record(*(_result(id, earned) for id, earned in points.items()))


def _result(id: str, points: float) -> ExerciseResult:
    outcome = "passed" if points == 100 else "failed"
    parts = check(max_points=points), check(name="test_b", outcome=outcome, points=0.0, max_points=100.0 - points)
    return exercise(*parts, id=id, status=outcome)


# --- the cases --------------------------------------------------------------------------------------------------------


def time(text: str) -> datetime:
    """A moment; in Vienna unless it says otherwise."""
    read = read_moment(text)
    assert read is not None, text
    found = placed(read, VIENNA)
    assert found is not None
    return found


def by_unit(known: Any) -> Mapping[str, Any]:
    """What the table says of each unit, else of every unit."""
    return known if isinstance(known, dict) else {} if known is None else {"*": known}


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

    @property
    def record(self) -> Record:
        points = dict(zip(("share", "split", "extra"), map(float, self.points), strict=False))
        return record_of(**points, **({} if self.withdrawn is None else {"gone": float(self.withdrawn)}))

    @property
    def hand_in(self) -> HandIn:
        return HandIn(
            at={unit: time(str(when)) for unit, when in by_unit(self.at).items()},
            extra_days=by_unit(self.extra_days),
            overrides={id: Override(points, "Talked.") for id, points in self.overrides.items()},
            exempt=tuple(self.exempt),
        )


CASES = {name: Case(**case) for name, case in TABLE["cases"].items()}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_final_points_and_reasons(case: Case, make_course_of: MakeCourse) -> None:
    policy = TABLE["policies"][case.policy] if isinstance(case.policy, str) else case.policy
    course, graded = make_course_of(policy, extra_credit=case.extra_credit), case.record
    record = adjusted(graded, course, case.hand_in)
    if case.unchanged:
        assert record.to_json() == graded.to_json()
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
    assert (record.points, record.max_points) == (graded.points, graded.max_points), "graded points stand beside"
    assert [each.points for each in record.exercises] == [each.points for each in graded.exercises]


def test_course_still_loads_a_part_with_an_exemption_elsewhere(make_course_of: MakeCourse, tmp_path: Path) -> None:
    part = part_of(make_course_of({"exempt": ["split", "share"]}), ["share"])
    (tmp_path / "other.yml").write_bytes(catalogue_of(part))
    assert part.policy.exempt == load_course(tmp_path / "other.yml").policy.exempt == ("share",)


cents = st.integers(0, 10_000).map(lambda hundredths: hundredths / 100)
any_points = st.one_of(cents, st.floats(0, 100).map(lambda points: round(points, 6)))
seconds = st.integers(-10 * 86_400, 400 * 86_400)
graded_records = st.lists(any_points, min_size=3, max_size=3).map(
    lambda points: record_of(**dict(zip(("share", "split", "extra"), points, strict=True)))
)


def after(seconds: int) -> HandIn:
    """Handed in so many seconds after it was due."""
    return HandIn(at={"*": DUE + timedelta(seconds=seconds)})


@pytest.fixture(scope="module")
def course(make_course_of: MakeCourse) -> Course:
    return make_course_of(TABLE["policies"]["to the half"])


@settings(deadline=None, max_examples=150)
@given(graded=graded_records, late=seconds)
def test_final_points_are_never_above_the_graded_ones_nor_below_zero(graded: Record, late: int, course: Course) -> None:
    final = adjusted(graded, course, after(late))
    for before, now in zip(graded.exercises, final.exercises, strict=True):
        assert now.final_points is not None and 0 <= now.final_points <= before.points
    assert 0 <= final.counted_points <= graded.points + 1e-6
    assert Record.from_json(final.to_json()) == final


@settings(deadline=None, max_examples=150)
@given(graded=graded_records, first=seconds, second=seconds)
def test_being_later_never_helps(graded: Record, first: int, second: int, course: Course) -> None:
    sooner, later = (adjusted(graded, course, after(late)) for late in sorted((first, second)))
    for early, tardy in zip(sooner.exercises, later.exercises, strict=True):
        assert tardy.counted_points <= early.counted_points
    assert later.counted_points <= sooner.counted_points


# --- time in words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("told", "length"), TABLE["lengths"].items(), ids=TABLE["lengths"])
def test_length_of_time_in_words(told: str, length: Mapping[str, int]) -> None:
    assert duration(timedelta(**length)) == told


@pytest.mark.parametrize(("told", "when"), TABLE["moments"].items(), ids=TABLE["moments"])
def test_moment_in_words(told: str, when: str) -> None:
    assert moment(time(when)) == told


def test_moment_in_a_zone_without_a_name() -> None:
    assert moment(datetime(2026, 3, 1, 12, tzinfo=ZoneInfo("America/Sao_Paulo"))) == "1 March 2026, 12:00 UTC-03"


@pytest.mark.parametrize("text", TABLE["no_moments"].values(), ids=TABLE["no_moments"])
def test_what_is_no_moment(text: str) -> None:
    assert read_moment(text) is None
