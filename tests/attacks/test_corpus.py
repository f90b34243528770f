"""Every hostile or odd file of the corpus is handled as the table beside it says, and harms nobody else."""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from grader.record import ExerciseResult, Record
from grader.render.record_page import render_record
from grader.render.terminal import print_record

pytestmark = pytest.mark.timeout(1500)  # all files are graded in the set-up of the first test

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
FULL_POINTS = 5.0
LONGEST_MESSAGE = 2500
USUAL_SECONDS = 20.0
"""For any of the files: far more than the seconds of the exercise: only what hangs takes longer."""

EVERY = 12

# These look for things and act on them; the rest does not depend on how the wall is built.
AT_EVERY_LEVEL = re.compile(r"(peeks|reaches|state)_|(ends|frames)_\w*(exit|closed)|loops_in_call|memory_list")


@dataclass(frozen=True)
class Handling:
    """What should become of a file; `says` is part of one of its messages."""

    status: str
    points: float
    says: str
    seconds: float = USUAL_SECONDS


HANDLING = {
    name: Handling(*row) for name, row in yaml.safe_load((HERE / "handling.yml").read_text(encoding="utf-8")).items()
}
SOME = sorted(filter(AT_EVERY_LEVEL.match, HANDLING))
SAMPLE = [name for name in HANDLING if not name.startswith("loops_")][::EVERY]
SAMPLE += ["loops_in_call", "peeks_question_leaked_in_message"]
"""What `make test` looks at: loops wait for their limits, so there is one of them."""


def sources(names: list[str]) -> Mapping[str, bytes]:
    return {name: (CORPUS / f"{name}.py").read_bytes() for name in names}


@pytest.fixture(scope="module")
def full(grade_all):
    return grade_all(sources(list(HANDLING)), "full")


@pytest.fixture(scope="module")
def sample(grade_all):
    return grade_all(sources(SAMPLE), "full")


@pytest.fixture(scope="module")
def reduced(grade_all):
    return grade_all(sources(SOME), "reduced")


def assert_handled(result: ExerciseResult, due: Handling) -> None:
    messages = [check.message for check in result.checks]
    assert result.status == due.status or due.status == "any", messages
    assert result.points <= due.points, messages
    assert (result.points == FULL_POINTS) == (result.status == "passed")
    assert any(due.says in message for message in messages), messages
    assert max(map(len, messages)) <= LONGEST_MESSAGE
    assert result.seconds < due.seconds


def test_every_file_has_its_handling():
    assert {path.stem for path in CORPUS.glob("*.py")} == set(HANDLING)


def test_every_file_says_what_it_tries():
    silent = [path.name for path in CORPUS.glob("*.py") if not path.read_text().startswith("# ")]
    assert not silent


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_is_handled_at_full_isolation(sample, name):
    assert_handled(sample.result(name), HANDLING[name])


@pytest.mark.thorough
@pytest.mark.parametrize("name", HANDLING)
def test_handled_at_full_isolation(full, name):
    assert_handled(full.result(name), HANDLING[name])


@pytest.mark.thorough
@pytest.mark.parametrize("name", SOME)
def test_handled_at_reduced_isolation(reduced, name):
    assert_handled(reduced.result(name), HANDLING[name])


@pytest.fixture(params=["sample", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("full", "reduced"))])
def session(request):
    return request.getfixturevalue(request.param)


def test_honest_neighbours_lose_nothing(session):
    lost = [check.message for result in session.honest for check in result.checks if check.outcome != "passed"]
    assert not lost
    assert {result.points for result in session.honest} == {FULL_POINTS}


def test_grader_is_never_at_fault(session):
    assert not [name for name, record in session.records.items() if not record.complete]


def test_no_process_outlives_its_submission(session):
    assert not {name: count for name, count in session.lingering.items() if count > 0}


def test_no_process_outlives_the_judge(session):
    assert not session.left_over


def test_no_file_is_left_behind(session):
    places = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path("/"), Path.home()]
    places += [HERE.parents[1], Path(sys.prefix), Path.cwd()]
    assert not [place for place in places if place.is_dir() and list(place.glob("left_behind*"))]


def test_no_message_holds_a_hidden_number(sample):
    checks = sample.result("peeks_question_leaked_in_message").checks
    hidden = [check.message for check in checks if not check.visible]
    assert hidden
    assert not [message for message in hidden if re.search(r"\d\.\d", message)]


def test_no_message_depends_on_the_clock(session):
    messages = [check.message for record in session.records.values() for e in record.exercises for check in e.checks]
    assert not [message for message in messages if re.search(r"\d\.\d{3,} seconds", message)]


LOUD = [name for name in HANDLING if name.startswith(("texts_", "frames_error_", "results_type_"))]


@pytest.fixture(params=[pytest.param(each, marks=() if each in SAMPLE else pytest.mark.thorough) for each in LOUD])
def loud_record(request) -> Record:
    return request.getfixturevalue("sample" if request.param in SAMPLE else "full").records[request.param]


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
