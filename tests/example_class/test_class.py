"""The class in examples/class, graded as an instructor grades it. What everyone gets is frozen in tests/transcripts/real/class.txt."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import jsonschema
import pytest

from grader.record import Record
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS
from tests.cases import rows, table
from tests.records import without_timings

pytestmark = pytest.mark.thorough

Run = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).parents[2]
CLASS = ROOT / "examples" / "class"
MAKER = ROOT / "scripts" / "make_examples.py"
LEVEL = strongest_level()
TABLE = table(__file__, "told.yml")
BY_CHANCE = ("debug_attn_weights", "self_attention")
"""What robin_quill returns first of what is in memory; and which limit a loop without end meets first, on a busy machine."""


@pytest.fixture(scope="module")
def grade(kata: Run) -> Callable[..., list[Record]]:
    """Grades the class into a folder, with one seed."""
    if LEVEL not in GRADING_LEVELS:
        pytest.skip(f"isolation here is {LEVEL}: other people's work can't be graded")

    def graded(out: Path, *options: object) -> list[Record]:
        terms = ["--out", out, "--seed", 1, "--isolation", LEVEL]
        done = kata("grade-class", "examples/class", *terms, *options, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        return list(map(Record.from_json, (out / "results.jsonl").read_text("utf-8").splitlines()))

    return graded


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module")
def records(out: Path, grade: Callable[..., list[Record]]) -> dict[str, Record]:
    return {record.submission: record for record in grade(out, "--jobs", 2, "--html")}


@rows(TABLE["told"], "learner", "id", "told")
def test_unfinished_work_and_attacks_are_told_for_what_they_are(
    learner: str, id: str, told: str, records: dict[str, Record]
) -> None:
    (result,) = (exercise for exercise in records[learner].exercises if exercise.id == id)
    failed = [check for check in result.checks if check.outcome == "failed"]
    assert failed and any(told in check.message for check in failed)


@pytest.mark.parametrize(("learner", "files"), TABLE["problems"].items(), ids=TABLE["problems"])
def test_mess_is_reported_and_not_guessed_at(
    learner: str, files: Mapping[str, Sequence[str]], records: dict[str, Record]
) -> None:
    problems = {problem.file: problem for problem in records[learner].problems}
    assert {file: problem.kind for file, problem in problems.items()} == {
        file: kind for file, (kind, _) in files.items()
    }
    assert [file for file, (_, told) in files.items() if told not in problems[file].message] == []


def test_hostile_work_earns_nothing_worth_having(records: dict[str, Record]) -> None:
    assert records["robin_quill"].points < records["robin_quill"].max_points / 100


def test_records_are_valid_against_the_published_schema(records: dict[str, Record]) -> None:
    validator = jsonschema.Draft202012Validator(json.loads((ROOT / "docs" / "record.schema.json").read_text("utf-8")))
    for record in records.values():
        validator.validate(json.loads(record.to_json()))


def settled(record: Record) -> str:
    """Without timings, and without what is said of robin_quill's files that end by chance."""
    silent = {
        each.id: tuple(check.model_copy(update={"message": ""}) for check in each.checks)
        for each in record.exercises
        if record.submission == "robin_quill" and each.id in BY_CHANCE
    }
    exercises = tuple(each.model_copy(update={"checks": silent.get(each.id, each.checks)}) for each in record.exercises)
    return without_timings(record.model_copy(update={"exercises": exercises})).to_json()


def test_same_seed_gives_the_same_bytes_whatever_the_number_of_judges(
    records: dict[str, Record], grade: Callable[..., list[Record]], tmp_path: Path
) -> None:
    assert list(map(settled, records.values())) == list(map(settled, grade(tmp_path, "--jobs", 1)))


def test_pages_are_there_for_all_and_ask_the_network_for_nothing(out: Path, records: dict[str, Record]) -> None:
    pages = {path.name: path.read_text("utf-8") for path in out.glob("*.html")}
    assert len(pages) == len(records) + 1
    for learner in records:
        assert learner in pages["class.html"]
    for name, page in pages.items():
        assert not re.search(r"https?://|src=|@import", page)
        assert ("<script" in page) == (name == "class.html")  # its own: sorting and filtering
        for link in re.findall(r'href="\./([^"#]*)', page):
            assert link in pages


def test_made_files_are_as_the_script_makes_them(tmp_path: Path) -> None:
    runpy.run_path(str(MAKER))["make"](tmp_path)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    stale = [str(name) for name, content in made.items() if (CLASS / name).read_bytes() != content]
    assert not stale, "run scripts/make_examples.py"
    untouched = {path.relative_to(CLASS) for path in (CLASS / "lucia_ferrari").rglob("*.py")}
    assert untouched == {name for name in made if name.parts[0] == "lucia_ferrari"}
