"""Each format's files of one difficult class, compared whole with tests/formats/golden.

Where a difference is wanted, `RENEW=1 pytest tests/formats/test_golden.py` writes them anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.final_points import HandIn
from grader.classroom.roster import Learner
from grader.record import Problem
from tests.cases import rows

from .conftest import CASES, HOSTILE_NAMES, enrolled, exercise, known_as, not_graded, record
from .platforms import github_report, gradescope_result, junit_suites

GOLDEN = Path(__file__).with_name("golden")

EXEMPT = HandIn(exempt=("kv_cache",))
ADA = Learner("ada", "Ada Lovelace", "ada@example.org", group="red", sis_id="ada")
OTHERS = [
    Learner("bo", "Bo Li", sis_id="bo"),
    Learner("cy", HOSTILE_NAMES["formula"], in_roster=False),
    Learner("dot", "Dot Away", sis_id="dot"),
]
ROSTER = {
    "ada": known_as("Lovelace, Ada", own_id="101", sis_id="S-7", login="ada", email="ada@example.org"),
    "bo": known_as("Li, Bo", own_id="102", sis_id="S-8", login="bo", email="bo@example.org"),
    "cy": known_as("Formula", own_id="103", sis_id="@9", login="cy", email="cy@example.org"),
}
UNTAKEN = [
    Problem(file="a\x1b[2J.py", kind="unreadable", message="It is not text."),
    Problem(file="b.py", kind="renamed", message="b.py was taken for softmax."),
]
RECORDS = [
    record("ada", problems=UNTAKEN),
    not_graded("bo"),
    record("cy", exercise("softmax", 0.0, message="\x1b[31mred\u202e]]>"), exercise("causal_mask", 0, "not_started"), exercise("kv_cache")),
]  # fmt: skip
CLASSES = {
    "graded": (RECORDS, [ADA, *OTHERS]),
    "adjusted": ([record("ada"), record("bo"), RECORDS[2]], [replace(ADA, hand_in=EXEMPT), *OTHERS]),
}


READ_BY: dict[str, Callable[[str], Any]] = {
    "junit": junit_suites,
    "gradescope": gradescope_result,
    "github": github_report,
}
"""Who takes a format's file, and refuses what it could not read."""


@pytest.mark.parametrize("policy", CLASSES)
@rows(CASES["goldens"], "format", "by", "has_roster")
def test_the_files_are_the_golden_ones(
    format: str, by: str, has_roster: bool, policy: str, exported: Any, said: list[str]
) -> None:
    records, learners = CLASSES[policy]
    if has_roster:
        listed = {id: enrolled(id, person) for id, person in ROSTER.items()}
        known = ("roster_row", "canvas_id", "name", "email", "own_id", "sis_id", "login")
        learners = [
            replace(each, in_roster=True, **{name: getattr(listed[each.id], name) for name in known})
            if each.id in listed
            else each
            for each in learners
        ]
    files = exported(format, *records, learners=learners, by=by)
    for text in files.values() if format in READ_BY else ():
        READ_BY[format](text)
    folder = GOLDEN / f"{policy}-{format}-by-{by}"
    if said:
        files["told.txt"] = "".join(f"{sentence}\n" for sentence in said)
    if os.environ.get("RENEW"):
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        for name, text in files.items():
            (folder / name).write_bytes(text.encode())
    assert files == {path.name: path.read_bytes().decode() for path in folder.iterdir()}
