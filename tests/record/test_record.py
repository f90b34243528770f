from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from grader.record import (
    MAX_SEED,
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


def check(name: str = "test_it", outcome: Outcome = "passed", points: float = 1.0, worth: float = 1.0) -> CheckResult:
    return CheckResult(
        name=name,
        title="It works.",
        outcome=outcome,
        points=points,
        max_points=worth,
        visible=False,
        message="",
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


def record(*exercises: ExerciseResult, seed: int = 7, submission: str = "ada") -> Record:
    return Record.of(submission=submission, isolation="full", seed=seed, course=COURSE, exercises=exercises)


def as_data(made: Record) -> dict[str, Any]:
    data = json.loads(made.to_json())
    assert isinstance(data, dict)
    return data


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


def test_check_that_passed_may_have_no_points() -> None:
    assert check(points=0.0).points == 0.0


@pytest.mark.parametrize(
    ("made", "told"),
    [
        pytest.param(lambda: exercise(check(), points=0.5), "not the sum of its checks' points", id="points"),
        pytest.param(lambda: exercise(check(), worth=2.0), "not the sum of its checks' max_points", id="worth"),
        pytest.param(
            lambda: exercise(check(), status="error", worth=0.5),
            "worth more than its max_points",
            id="worth-of-error",
        ),
        pytest.param(lambda: exercise(check(), check()), "two checks named 'test_it'", id="repeated-check"),
        pytest.param(lambda: exercise(), "passed although no check of it passed", id="passed-without-checks"),
        pytest.param(lambda: exercise(FAILED), "passed although no check of it passed", id="passed-by-failing"),
        pytest.param(lambda: exercise(check(), status="failed"), "failed although no check", id="failed-by-passing"),
        pytest.param(lambda: exercise(status="failed"), "failed although no check", id="failed-without-checks"),
        pytest.param(
            lambda: exercise(check(), check("b", outcome="error", points=0.0)),
            "is passed although one of its checks is an error",
            id="passed-with-error",
        ),
        pytest.param(lambda: exercise(FAILED, status="missing"), "although it has results", id="missing-with-results"),
        pytest.param(
            lambda: exercise(status="not_started", diagnosis=(Diagnosis(mistake="m", message=""),)),
            "although it has results",
            id="not-started-with-diagnosis",
        ),
    ],
)
def test_exercise_refuses_what_contradicts_itself(made: Callable[[], ExerciseResult], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        made()


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda: exercise(check("main"), check("repair", "failed", 0.0)), id="passed-without-repair"),
        pytest.param(lambda: exercise(status="missing", worth=3.0), id="missing-without-checks"),
        pytest.param(lambda: exercise(check("a", "skipped", 0.0), status="not_started"), id="not-started-skips"),
        pytest.param(lambda: exercise(check(), status="error", worth=3.0), id="error-after-a-passed-check"),
        pytest.param(
            lambda: exercise(*(check(str(n), points=0.1, worth=0.1) for n in range(10)), points=1.0, worth=1.0),
            id="sums-up-to-rounding",
        ),
    ],
)
def test_exercise_takes_what_can_happen(made: Callable[[], ExerciseResult]) -> None:
    assert made().id == "softmax"


def test_records_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        SOUND.points = 99.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(lambda data: data.pop("version"), "version: this field is missing.", id="no-version"),
        pytest.param(lambda data: data.update(version=2), "version: input should be 1.", id="other-version"),
        pytest.param(lambda data: data.update(mark="A"), "mark: there is no field of this name.", id="unknown-field"),
        pytest.param(lambda data: data.update(points=2.0), "the points of the record are not the sum", id="points"),
        pytest.param(lambda data: data.update(max_points=9.0), "the max_points of the record", id="max-points"),
        pytest.param(lambda data: data.update(complete=False), "complete must be false exactly when", id="complete"),
        pytest.param(lambda data: data.update(seed="7"), "seed: input should be a valid integer.", id="seed-text"),
        pytest.param(lambda data: data.update(seed=7.5), "seed: input should be a valid integer", id="seed-fraction"),
        pytest.param(lambda data: data.update(seed=MAX_SEED + 1), "seed: input should be less", id="seed-too-large"),
        pytest.param(lambda data: data.update(isolation="weak"), "isolation: input should be 'full'", id="isolation"),
        pytest.param(lambda data: data.update(submission=""), "submission: this must not be empty.", id="no-name"),
        pytest.param(
            lambda data: data["exercises"][1].update(id="softmax"),
            "exercise 'softmax' is there twice",
            id="repeated",
        ),
        pytest.param(
            lambda data: data["exercises"][1]["checks"][0].pop("title"),
            "exercises[1].checks[0].title: this field is missing.",
            id="deep-inside",
        ),
        pytest.param(
            lambda data: data["exercises"][0]["checks"][0].update(points=float("nan")),
            "exercises[0].checks[0].points: this must be a finite number.",
            id="nan",
        ),
        pytest.param(lambda data: data.clear(), "version: this field is missing (and 9 more).", id="empty-object"),
    ],
)
def test_bad_record_gets_one_sentence(change: Callable[[dict[str, Any]], object], told: str) -> None:
    data = as_data(SOUND)
    change(data)
    with pytest.raises(RecordError) as refused:
        Record.from_json(json.dumps(data))
    sentence = str(refused.value)
    assert sentence.startswith("This is not a result record: ")
    assert told in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
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
    with pytest.raises(RecordError) as refused:
        Record.from_json(text)
    assert str(refused.value).startswith("This is not a result record: ")
    assert str(refused.value).isprintable()


def test_contradicting_parts_make_no_record() -> None:
    with pytest.raises(RecordError, match="exercise 'softmax' is there twice"):
        record(exercise(check()), exercise(check()))


def test_without_timings_only_the_times_go() -> None:
    bare = without_timings(SOUND)
    assert {each.seconds for each in bare.exercises} == {0.0}
    assert as_data(SOUND)["exercises"][0] | {"seconds": 0.0} == as_data(bare)["exercises"][0]
    assert Record.from_json(bare.to_json()) == bare


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        pytest.param("王小明 √ 👍", "王小明 √ 👍", id="any-script"),
        pytest.param("a\ud800b", "a\ufffdb", id="lone-surrogate"),
        pytest.param("\ud83d\udc4d", "👍", id="surrogate-pair"),
        pytest.param("\ufeffa\x00\x85\u2028", "\ufeffa\x00\x85\u2028", id="controls-survive"),
    ],
)
def test_text_survives_writing_and_reading(name: str, kept: str) -> None:
    text = record(exercise(check()), submission=name).to_json()
    assert len(text.splitlines()) == 1
    assert Record.from_json(text.encode("utf-8")).submission == kept


def test_messages_hold_nothing_that_steers_whoever_prints_them() -> None:
    said = "\x1b[2J \x9b2J \x7f \r \u202eevil \u2066a\nline\tand a tab, 王√👍"
    written = record(exercise(CheckResult(**{**check().model_dump(), "message": said}))).to_json()
    message = json.loads(written)["exercises"][0]["checks"][0]["message"]
    assert message == r"\x1b[2J \x9b2J \x7f \r \u202eevil \u2066a" + "\nline\tand a tab, 王√👍"


def test_no_line_of_a_record_steers_a_terminal() -> None:
    written = record(exercise(check()), submission="a\x1b\x7f\x9b\u202e\u2066").to_json()
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written)


def test_equal_points_are_written_alike() -> None:
    written = {record(exercise(check(points=points, worth=1))).to_json() for points in (0, 0.0, -0.0)}
    assert len(written) == 1


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = ("torch", "pydantic", "rich", "jinja2")
    code = f"import sys, grader; sys.exit(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_results_import_nothing_else_of_the_package() -> None:
    code = (
        "import sys, grader.record\n"
        "ours = {name for name in sys.modules if name.split('.')[0] == 'grader'}\n"
        "sys.exit(ours != {'grader', 'grader.record'})"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
