"""A record adds up and contradicts itself nowhere; what is none gets one sentence, and no text in it steers a terminal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from grader.record import (
    CheckResult,
    CourseStamp,
    Diagnosis,
    ExerciseResult,
    Outcome,
    Record,
    RecordError,
    Status,
    without_timings,
)

COURSE = CourseStamp(title="Attention Kata", version="0.1.0")
BAD = yaml.safe_load(Path(__file__).with_name("bad.yml").read_text("utf-8"))


def check(name: str = "test_it", outcome: Outcome = "passed", points: float = 1.0, worth: float = 1.0) -> CheckResult:
    return CheckResult(
        name=name, title="It works.", outcome=outcome, points=points, max_points=worth, visible=False, message=""
    )


def exercise(
    *checks: CheckResult,
    id: str = "softmax",
    status: Status = "passed",
    points: float | None = None,
    worth: float | None = None,
    diagnosis: tuple[Diagnosis, ...] = (),
) -> ExerciseResult:
    return ExerciseResult(
        id=id,
        status=status,
        points=sum(each.points for each in checks) if points is None else points,
        max_points=sum(each.max_points for each in checks) if worth is None else worth,
        checks=checks,
        diagnosis=diagnosis,
        seconds=0.25,
    )


def record(*exercises: ExerciseResult, submission: str = "ada") -> Record:
    return Record.of(submission=submission, isolation="full", seed=7, course=COURSE, exercises=exercises)


FAILED = check(outcome="failed", points=0.0)
SOUND = record(exercise(check()), exercise(FAILED, id="causal_mask", status="failed"))


def test_totals_are_worked_out() -> None:
    tenths = [exercise(check(points=0.1, worth=0.2), id=f"e{number}") for number in range(3)]
    made = record(*tenths)
    assert (made.points, made.max_points, made.complete) == (0.3, 0.6, True)


def test_record_with_a_grader_error_is_not_complete() -> None:
    assert not record(exercise(check()), exercise(id="causal_mask", status="error", worth=2.0)).complete


@pytest.mark.parametrize(
    ("points", "outcome", "told"),
    [
        pytest.param(1.5, "passed", "more points than its max_points", id="more-than-worth"),
        pytest.param(-0.5, "passed", "greater than or equal to 0", id="negative"),
        pytest.param(0.5, "failed", "has points but did not pass", id="points-for-failing"),
        pytest.param(0.5, "error", "has points but did not pass", id="points-for-grader-error"),
        pytest.param(0.5, "skipped", "has points but did not pass", id="points-for-skipping"),
        pytest.param(float("nan"), "passed", "finite", id="nan"),
        pytest.param(float("inf"), "passed", "finite", id="infinite"),
        pytest.param("1", "passed", "valid number", id="text"),
        pytest.param(True, "passed", "valid number", id="bool"),
    ],
)
def test_check_refuses_points_that_cannot_be(points: Any, outcome: Outcome, told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        check(outcome=outcome, points=points)


ERROR = check("b", outcome="error", points=0.0)
SKIPPED = check("a", "skipped", 0.0)
NAMED = (Diagnosis(mistake="m", message=""),)
CONTRADICTIONS: dict[str, tuple[tuple[CheckResult, ...], dict[str, Any], str]] = {
    "points": ((check(),), {"points": 0.5}, "not the sum of its checks' points"),
    "worth": ((check(),), {"worth": 2.0}, "not the sum of its checks' max_points"),
    "worth of error": ((check(),), {"status": "error", "worth": 0.5}, "worth more than its max_points"),
    "repeated check": ((check(), check()), {}, "two checks named 'test_it'"),
    "passed without checks": ((), {}, "passed although no check of it passed"),
    "passed by failing": ((FAILED,), {}, "passed although no check of it passed"),
    "failed by passing": ((check(),), {"status": "failed"}, "failed although no check"),
    "failed without checks": ((), {"status": "failed"}, "failed although no check"),
    "partly, with all of it": ((check(),), {"status": "partly"}, "partly checked although every check of it ran"),
    "passed with error": ((check(), ERROR), {}, "is passed although one of its checks is an error"),
    "missing with results": ((FAILED,), {"status": "missing"}, "although it has results"),
    "not started with diagnosis": ((), {"status": "not_started", "diagnosis": NAMED}, "although it has results"),
}


@pytest.mark.parametrize(("checks", "rest", "told"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_exercise_refuses_what_contradicts_itself(
    checks: tuple[CheckResult, ...], rest: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValidationError, match=told):
        exercise(*checks, **rest)


TENTHS = tuple(check(str(number), points=0.1, worth=0.1) for number in range(10))
SOUND_ONES: dict[str, Callable[[], ExerciseResult]] = {
    "passed without points": lambda: exercise(check(points=0.0)),
    "passed without repair": lambda: exercise(check("main"), check("repair", "failed", 0.0)),
    "missing without checks": lambda: exercise(status="missing", worth=3.0),
    "not started skips": lambda: exercise(SKIPPED, status="not_started"),
    "error after a passed check": lambda: exercise(check(), status="error", worth=3.0),
    "sums up to rounding": lambda: exercise(*TENTHS, points=1.0, worth=1.0),
}


@pytest.mark.parametrize("made", SOUND_ONES.values(), ids=SOUND_ONES)
def test_exercise_takes_what_can_happen(made: Callable[[], ExerciseResult]) -> None:
    assert made().id == "softmax"


def test_records_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        SOUND.points = 99.0  # type: ignore[misc]


def refused(text: str | bytes) -> str:
    """The one sentence with which a text is no record."""
    with pytest.raises(RecordError) as error:
        Record.from_json(text)
    sentence = str(error.value)
    assert sentence.startswith("This is not a result record: ") and sentence.endswith(".") and sentence.isprintable()
    return sentence


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_bad_record_gets_one_sentence(case: dict[str, Any]) -> None:
    data = json.loads(SOUND.to_json())
    *way, last = case["at"]
    holder = data
    for step in way:
        holder = holder[step]
    if "to" in case:
        holder[last] = case["to"]
    else:
        del holder[last]
    assert case["says"] in refused(json.dumps(data))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{}", id="empty-object"),
        pytest.param("null", id="null"),
        pytest.param("[]", id="list"),
        pytest.param("{", id="cut-off"),
        pytest.param("[" * 100_000, id="deeply-nested"),
        pytest.param(b"\xff\xfe{}", id="not-utf-8"),
        pytest.param("\ud800", id="lone-surrogate"),
        pytest.param('{"submission": "\\ud800"}', id="escaped-lone-surrogate"),
        pytest.param('{"\\u001b[31m\\n": 1}', id="control-characters-in-a-name"),
        pytest.param(SOUND.to_json() + SOUND.to_json(), id="two-records"),
        pytest.param("9" * 10_000, id="huge-number"),
    ],
)
def test_what_is_no_record_gets_one_sentence(text: str | bytes) -> None:
    sentence = refused(text)
    assert text != "{}" or "version: this field is missing (and 9 more)." in sentence


def test_contradicting_parts_make_no_record() -> None:
    with pytest.raises(RecordError, match="exercise 'softmax' is there twice"):
        record(exercise(check()), exercise(check()))


def test_without_timings_only_the_times_go() -> None:
    bare, whole = json.loads(without_timings(SOUND).to_json()), json.loads(SOUND.to_json())
    assert {each.pop("seconds") for each in bare["exercises"]} == {0.0}
    assert {each.pop("seconds") for each in whole["exercises"]} == {0.25}
    assert bare == whole


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        pytest.param("王小明 √ 👍", "王小明 √ 👍", id="any-script"),
        pytest.param("a\ud800b", "a\ufffdb", id="lone-surrogate"),
        pytest.param("\ud83d\udc4d", "👍", id="surrogate-pair"),
        pytest.param("\ufeffa\x00\x85\u2028", "\ufeffa\x00\x85\u2028", id="controls-survive"),
        pytest.param("a\x1b\x7f\x9b\u202e\u2066", "a\x1b\x7f\x9b\u202e\u2066", id="what-steers-a-terminal"),
    ],
)
def test_text_survives_writing_and_reading(name: str, kept: str) -> None:
    text = record(exercise(check()), submission=name).to_json()
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u202a-\u202e\u2066-\u2069]", text), "it steers whoever prints it"
    assert Record.from_json(text.encode("utf-8")).submission == kept


def test_messages_hold_nothing_that_steers_whoever_prints_them() -> None:
    said = "\x1b[2J \x9b2J \x7f \r \u202eevil \u2066a\nline\tand a tab, 王√👍"
    written = record(exercise(CheckResult(**{**check().model_dump(), "message": said}))).to_json()
    message = json.loads(written)["exercises"][0]["checks"][0]["message"]
    assert message == r"\x1b[2J \x9b2J \x7f \r \u202eevil \u2066a" + "\nline\tand a tab, 王√👍"


def test_equal_points_are_written_alike() -> None:
    assert len({record(exercise(check(points=points, worth=1))).to_json() for points in (0, 0.0, -0.0)}) == 1


@pytest.mark.parametrize(
    "code",
    [
        "sys.exit(any(name in sys.modules for name in ('torch', 'pydantic', 'rich', 'jinja2')))",
        "import grader.record; ours = {name for name in sys.modules if name.split('.')[0] == 'grader'}\n"
        "sys.exit(ours != {'grader', 'grader.record'})",
    ],
    ids=["the package imports nothing heavy", "records import nothing else of the package"],
)
def test_what_is_imported(code: str) -> None:
    assert subprocess.run([sys.executable, "-c", f"import sys, grader\n{code}"], check=False).returncode == 0
