"""One line of results.jsonl."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.record import Record, RecordError
from tests.fuzz.damage import damaged_json
from tests.fuzz.sound import assert_sentence
from tests.fuzz.watching import ROOT

GOLDEN = tuple(path.read_bytes() for path in sorted((ROOT / "tests" / "record" / "golden").glob("*.json")))
TOLERANCE = 1e-5


def run(data: bytes) -> None:
    """A line gives a record whose points add up and which is written as it was read, or one sentence."""
    try:
        record = Record.from_json(data)
    except RecordError as error:
        assert_sentence(str(error))
        return
    line = record.to_json()
    assert "\n" not in line and len(line.splitlines()) == 1
    again = Record.from_json(line.encode("utf-8"))
    assert again == record and again.to_json() == line
    checks = [check for exercise in record.exercises for check in exercise.checks]
    assert all(0 <= check.points <= check.max_points + TOLERANCE for check in checks)
    assert all(check.outcome == "passed" for check in checks if check.points > 0)
    earned = math.fsum(check.points for check in checks)
    assert math.isclose(record.points, earned, rel_tol=1e-9, abs_tol=TOLERANCE * (1 + len(checks)))


def inputs() -> SearchStrategy[bytes]:
    """The records that other tests keep, damaged."""
    return damaged_json(records())


def records() -> SearchStrategy[Any]:
    """A record's JSON."""
    return st.sampled_from(GOLDEN).map(json.loads)
