"""A record adds up and contradicts itself nowhere; what is none gets one sentence, and no text in it steers a terminal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import nullcontext
from typing import Any

import pytest
from pydantic import ValidationError

from grader.errors import KataError
from grader.record import Diagnosis, Record
from tests.cases import rows, table
from tests.records import check, exercise, record

TABLES = table(__file__, "bad.yml")


FAILED = exercise(check(outcome="failed"), id="causal_mask", status="failed")
SOUND = record(exercise(check()), FAILED)


def test_totals_are_worked_out() -> None:
    made = record(*(exercise(check(points=0.1, max_points=0.2), id=id) for id in "abc"))
    assert (made.points, made.max_points, made.complete) == (0.3, 0.6, True)


def test_record_with_a_grader_error_is_not_complete() -> None:
    assert not record(exercise(check()), exercise(id="causal_mask", status="error", max_points=2.0)).complete


@rows(TABLES["checks"])
def test_check_refuses_points_that_cannot_be(case: dict[str, Any]) -> None:
    changes = dict(case)
    with pytest.raises(ValidationError, match=changes.pop("says")):
        check(**changes)


@rows(TABLES["exercises"])
def test_exercise_refuses_what_contradicts_itself_and_takes_what_can_happen(case: dict[str, Any]) -> None:
    changes = dict(case)
    says, checks = changes.pop("says", None), changes.pop("checks")
    changes["diagnosis"] = tuple(Diagnosis(mistake=name, message="") for name in changes.pop("diagnosed", ()))
    with pytest.raises(ValidationError, match=says) if says else nullcontext():
        exercise(*(check(**each) for each in checks), **changes)


def test_records_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        SOUND.points = 99.0  # type: ignore[misc]


def refused(text: str | bytes) -> str:
    """The one sentence with which a text is no record."""
    with pytest.raises(KataError) as error:
        Record.from_json(text)
    sentence = str(error.value)
    assert sentence.startswith("This is not a result record: ") and sentence.endswith(".") and sentence.isprintable()
    return sentence


@rows(TABLES["records"])
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


@rows({**TABLES["texts"], "two records": SOUND.to_json() * 2}, "text")
def test_what_is_no_record_gets_one_sentence(text: str | bytes) -> None:
    sentence = refused(text)
    assert text != "{}" or "version: Field required (and 9 more)." in sentence


def test_contradicting_parts_make_no_record() -> None:
    with pytest.raises(ValidationError, match="the record has an exercise twice"):
        record(exercise(check()), exercise(check()))


@rows(TABLES["names"], "name", "kept")
def test_text_survives_writing_and_reading(name: str, kept: str) -> None:
    text = record(exercise(check()), submission=name).to_json()
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u202a-\u202e\u2066-\u2069]", text), "it steers whoever prints it"
    assert Record.from_json(text.encode("utf-8")).submission == kept


def test_messages_hold_nothing_that_steers_whoever_prints_them() -> None:
    said = "\x1b[2J \x9b2J \x7f \r \u202eevil \u2066a\nline\tand a tab, 王√👍"
    written = record(exercise(check(message=said))).to_json()
    message = json.loads(written)["exercises"][0]["checks"][0]["message"]
    assert message == r"\x1b[2J \x9b2J \x7f \r \u202eevil \u2066a" + "\nline\tand a tab, 王√👍"


def test_equal_points_are_written_alike() -> None:
    assert len({record(exercise(check(points=points))).to_json() for points in (0, 0.0, -0.0)}) == 1


@pytest.mark.parametrize(
    "code",
    [
        "sys.exit(any(name in sys.modules for name in ('torch', 'pydantic', 'rich', 'jinja2')))",
        "import grader.record; ours = {name for name in sys.modules if name.split('.')[0] == 'grader'}\n"
        "sys.exit(ours != {'grader', 'grader.errors', 'grader.record'})",
    ],
    ids=["the package imports nothing heavy", "records import nothing of the package but its error"],
)
def test_what_is_imported(code: str) -> None:
    assert subprocess.run([sys.executable, "-c", f"import sys, grader\n{code}"], check=False).returncode == 0
