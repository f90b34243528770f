"""Every hostile or odd file is handled as corpus/ says, harms nobody else, and leaves nothing behind."""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from grader.record import Record
from grader.render.pages import render_record
from grader.render.terminal import print_record
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS
from tests.attacks.hostile_files import all_files
from tests.attacks.sessions import Sessions, grade_all
from tests.golden.frozen import attacks_table, differences

pytestmark = pytest.mark.timeout(1500)  # all files are graded in the set-up of the first test

ROOT = Path(__file__).parents[2]
LONGEST_MESSAGE = 2500
FILES = {each.name: each for each in all_files()}
# These look for things and act on them; the rest does not depend on how the wall is built.
AT_EVERY_LEVEL = re.compile(r"(peeks|reaches|state)_|(ends|frames)_\w*(exit|closed)|loops_in_call|memory_list")
SOME = sorted(filter(AT_EVERY_LEVEL.match, FILES))
FIRST, EVERY = 7, 13
SAMPLE = [name for name in FILES if not name.startswith(("claims_", "loops_", "odd_"))][FIRST::EVERY]
LEAKED = [f"peeks_question_leaked_in_{where}" for where in ("message", "type", "function", "class", "parameter")]
SAMPLE += ["loops_in_call", *LEAKED]
SAMPLE += ["claims_attention_by_hand", "claims_attention_by_hand_unseen"]
"""What `make test` looks at: some of each kind, few of which wait for their limits."""


SESSIONS = {"sample": (SAMPLE, "full"), "full": (FILES, "full"), "reduced": (SOME, "reduced")}


@cache
def graded(session: str) -> Sessions:
    """Grade the files of a session, once."""
    if strongest_level() not in GRADING_LEVELS:
        pytest.skip("this machine cannot isolate submissions")
    names, level = SESSIONS[session]
    return grade_all(map(FILES.__getitem__, names), level)


@pytest.mark.parametrize(
    ("session", "name"),
    [
        pytest.param(session, name, marks=() if session == "sample" else pytest.mark.thorough)
        for session, (names, _) in SESSIONS.items()
        for name in names
    ],
)
def test_each_file_is_handled(session, name):
    result, file = graded(session).result(name), FILES[name]
    messages = [check.message for check in result.checks]
    assert result.status == file.status or file.status == "any", messages
    assert result.points <= (result.max_points if file.at_most is None else file.at_most), messages
    assert (result.points == result.max_points) == (result.status == "passed")
    assert any(file.says in message for message in messages), messages
    assert max(map(len, messages)) <= LONGEST_MESSAGE
    assert result.seconds < file.within


@pytest.mark.thorough
def test_checks_end_as_they_did_when_that_was_frozen():
    assert not list(differences(attacks_table(graded("full"))))


@pytest.fixture(
    params=[pytest.param(each, marks=() if each == "sample" else pytest.mark.thorough) for each in SESSIONS]
)
def session(request: pytest.FixtureRequest) -> Sessions:
    return graded(request.param)


def test_honest_neighbours_lose_nothing(session):
    lost = [check.message for result in session.honest for check in result.checks if check.outcome != "passed"]
    assert not lost
    assert {result.status for result in session.honest} == {"passed"}


def test_grader_is_never_at_fault(session):
    assert not [name for name, record in session.records.items() if not record.complete]


def test_no_process_outlives_its_submission(session):
    assert not {name: count for name, count in session.lingering.items() if count > 0}


def test_no_process_outlives_the_judge(session):
    assert not session.left_over


def test_no_file_is_left_behind(session):
    places = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path("/"), Path.home()]
    places += [ROOT, Path(sys.prefix), Path.cwd()]
    assert not [place for place in places if place.is_dir() and list(place.glob("left_behind*"))]


@pytest.mark.parametrize("name", LEAKED)
def test_no_message_holds_a_hidden_number(name):
    checks = graded("sample").result(name).checks
    hidden = [check.message for check in checks if not check.visible]
    assert hidden
    assert not [message for message in hidden if re.search(r"\d\.\d", message)]


def test_no_message_depends_on_the_clock(session):
    messages = [check.message for record in session.records.values() for e in record.exercises for check in e.checks]
    assert not [message for message in messages if re.search(r"\d\.\d{3,} seconds", message)]


MOST_BELIEVED = 1 / 5


@pytest.mark.parametrize(
    ("session", "honest"),
    [("sample", "claims_attention_by_hand"), pytest.param("full", "claims_whole_matrix", marks=pytest.mark.thorough)],
    indirect=["session"],
)
def test_a_forged_observation_is_worth_a_fifth_at_most(session, honest):
    honestly, forged = session.result(honest), session.result(f"{honest}_unseen")
    assert 0 < forged.points - honestly.points <= MOST_BELIEVED * forged.max_points
    assert "How a number was come by" in (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


@pytest.mark.thorough
@pytest.mark.parametrize("layout", ["", "_laid_out_otherwise", "_flat"])
def test_a_whole_matrix_is_seen_however_it_is_laid_out(layout):
    checks = graded("full").result(f"claims_whole_matrix{layout}").checks
    assert [check.name for check in checks if check.outcome == "failed"] == ["test_full_matrix_is_never_made"]


LOUD = [name for name in FILES if name.startswith(("texts_", "frames_error_", "results_type_"))]


@pytest.fixture(params=[pytest.param(each, marks=() if each in SAMPLE else pytest.mark.thorough) for each in LOUD])
def loud_record(request) -> Record:
    return graded("sample" if request.param in SAMPLE else "full").records[request.param]


def test_no_text_steers_a_terminal(loud_record):
    shown = io.StringIO()
    print_record(loud_record, Console(file=shown, width=100), titles={}, units={}, verbose=True)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown.getvalue())


def test_no_text_becomes_part_of_a_page(loud_record):
    page = render_record(loud_record, titles={}, units={})
    assert not re.search(r"<script>alert|<img src=x|<b><b>", page)


def test_every_record_can_be_written_and_read(session):
    for record in session.records.values():
        line = record.to_json()
        line.encode("utf-8")
        assert "\n" not in line
        assert Record.from_json(line) == record
        json.loads(line)
