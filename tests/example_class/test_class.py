"""The class in examples/class, graded as an instructor grades it: everyone gets what is theirs."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from grader.course import load_course
from grader.record import ExerciseResult, Record, without_timings
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS

pytestmark = pytest.mark.thorough

Run = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).parents[2]
CLASS = ROOT / "examples" / "class"
MAKER = ROOT / "scripts" / "make_examples.py"

EVERY_ID = [exercise.id for exercise in load_course(ROOT / "course.yml").exercises]
FIRST_ELEVEN = [
    "softmax",
    "qkv_linear",
    "scaled_scores",
    "self_attention",
    "debug_attn_weights",
    "causal_mask",
    "masked_softmax",
    "split_heads",
    "multi_head_attention",
    "repeat_kv",
    "grouped_query_attention",
]

# Status by learner and exercise; what is not named is missing.
DUE: dict[str, dict[str, str]] = {
    "林美玲": dict.fromkeys(EVERY_ID, "passed"),
    "bjarne_lindqvist": {
        "softmax": "passed",
        "qkv_linear": "not_started",
        "scaled_scores": "passed",
        "self_attention": "failed",
        "debug_attn_weights": "passed",
        "causal_mask": "passed",
        "masked_softmax": "failed",
        "split_heads": "not_started",
    },
    "diego_fernandez": dict.fromkeys(FIRST_ELEVEN, "failed"),
    "hana_sato": {
        "softmax": "passed",
        "scaled_scores": "failed",
        "causal_mask": "failed",
        "split_heads": "passed",
        "repeat_kv": "passed",
    },
    "kwame_mensah": {
        **{id: "passed" for id in FIRST_ELEVEN if id != "debug_attn_weights"},
        "grouped_query_attention": "failed",
    },
    "lucia_ferrari": dict.fromkeys(EVERY_ID, "not_started"),
    "mateo_silva": {"multi_head_attention": "passed"},
    "priya_raman": {
        **dict.fromkeys(["softmax", "scaled_scores", "self_attention", "causal_mask", "masked_softmax"], "passed"),
        "repeat_kv": "failed",
    },
    "robin_quill": dict.fromkeys(FIRST_ELEVEN, "failed"),
}

MISTAKES = {
    "softmax": "overflow",
    "qkv_linear": "scaling-is-the-root",
    "scaled_scores": "divided-by-width",
    "self_attention": "softmax-over-queries",
    "debug_attn_weights": "scaled-twice",
    "causal_mask": "diagonal-hidden",
    "masked_softmax": "mask-after-softmax",
    "split_heads": "view-without-transpose",
    "multi_head_attention": "scale-from-d-out",
    "repeat_kv": "tiled",
    "grouped_query_attention": "tiled",
}

SEED = 1


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, kata: Run) -> Path:
    """Where the class was graded."""
    level = strongest_level()
    if level not in GRADING_LEVELS:
        pytest.skip(f"isolation here is {level}: other people's work can't be graded")
    out = tmp_path_factory.mktemp("out")
    terms = ["--jobs", 2, "--html", "--seed", SEED, "--isolation", level]
    done = kata("grade-class", "examples/class", "--out", out, *terms, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def records(out: Path) -> dict[str, Record]:
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {record.submission: record for record in map(Record.from_json, lines)}


def result(record: Record, id: str) -> ExerciseResult:
    return next(exercise for exercise in record.exercises if exercise.id == id)


@pytest.mark.parametrize("learner", DUE)
def test_learner_gets_what_the_work_deserves(learner: str, records: dict[str, Record]) -> None:
    found = {exercise.id: exercise.status for exercise in records[learner].exercises}
    assert found == {**dict.fromkeys(EVERY_ID, "missing"), **DUE[learner]}
    assert records[learner].complete


def test_nobody_else_is_in_the_class(records: dict[str, Record]) -> None:
    assert sorted(records) == sorted(DUE)


@pytest.mark.parametrize("learner", ["林美玲", "kwame_mensah", "priya_raman", "mateo_silva"])
def test_right_work_has_full_points(learner: str, records: dict[str, Record]) -> None:
    passed = [exercise for exercise in records[learner].exercises if exercise.status == "passed"]
    assert [exercise.points for exercise in passed] == [exercise.max_points for exercise in passed]


@pytest.mark.parametrize(("id", "mistake"), MISTAKES.items())
def test_typical_mistake_is_named(id: str, mistake: str, records: dict[str, Record]) -> None:
    assert [each.mistake for each in result(records["diego_fernandez"], id).diagnosis] == [mistake]


@pytest.mark.parametrize(
    ("learner", "id", "mistake"),
    [
        pytest.param("kwame_mensah", "grouped_query_attention", "no-scale", id="zip"),
        pytest.param("priya_raman", "repeat_kv", "along-the-sequence", id="notebook"),
    ],
)
def test_single_mistake_is_named(learner: str, id: str, mistake: str, records: dict[str, Record]) -> None:
    assert [each.mistake for each in result(records[learner], id).diagnosis] == [mistake]


def test_rewrite_of_a_debug_task_loses_the_points_of_a_small_repair_only(records: dict[str, Record]) -> None:
    checks = result(records["bjarne_lindqvist"], "debug_attn_weights").checks
    assert [check.name for check in checks if check.points < check.max_points] == ["test_repair_is_small"]


@pytest.mark.parametrize(
    ("id", "told"),
    [
        ("self_attention", "Not written yet in line 16, in `forward` (`raise NotImplementedError`)"),
        ("masked_softmax", "Your file is not valid Python: '[' was never closed in line 6"),
    ],
)
def test_unfinished_work_is_told_by_its_line(id: str, told: str, records: dict[str, Record]) -> None:
    assert all(told in check.message for check in result(records["bjarne_lindqvist"], id).checks)


def test_mess_is_reported_and_not_guessed_at(records: dict[str, Record]) -> None:
    problems = records["hana_sato"].problems
    assert {(problem.file, problem.kind) for problem in problems} == {
        ("04_scaled_scores.py", "unreadable"),
        ("final version (2)/01_causal_mask.py", "duplicate"),
        ("questions for class.txt", "unknown"),
        ("scratch.py", "unknown"),
        ("Softmax (1).py", "renamed"),
    }
    messages = {problem.file: problem.message for problem in problems}
    assert "save it as UTF-8" in messages["04_scaled_scores.py"]
    assert "was taken as 03_softmax.py" in messages["Softmax (1).py"]
    assert "old/causal_mask.py" in messages["final version (2)/01_causal_mask.py"]


def test_hostile_work_earns_nothing_worth_having(records: dict[str, Record]) -> None:
    record = records["robin_quill"]
    assert record.points < record.max_points / 100
    assert {problem.file for problem in record.problems} == {"conftest.py", "torch.py"}


@pytest.mark.parametrize(
    ("id", "told"),
    [
        pytest.param("softmax", "numbers", id="comparisons patched"),
        pytest.param("qkv_linear", "takes no arguments", id="no solution found to read"),
        pytest.param("scaled_scores", "ended the Python process", id="process ended"),
        pytest.param("self_attention", "No answer", id="printing without end"),
        pytest.param("causal_mask", "a subclass of Tensor", id="lying tensor"),
        pytest.param("masked_softmax", "no readable answer", id="forged answers"),
        pytest.param("repeat_kv", "too large", id="swelling tensor"),
    ],
)
def test_attack_is_told_for_what_it_is(id: str, told: str, records: dict[str, Record]) -> None:
    failed = [check for check in result(records["robin_quill"], id).checks if check.outcome == "failed"]
    assert failed and any(told in check.message for check in failed)


def test_error_of_ones_own_making_is_no_known_mistake(records: dict[str, Record]) -> None:
    assert not result(records["robin_quill"], "multi_head_attention").diagnosis


def test_records_are_valid_against_the_published_schema(out: Path) -> None:
    validator = jsonschema.Draft202012Validator(json.loads((ROOT / "docs" / "record.schema.json").read_text("utf-8")))
    for line in (out / "results.jsonl").read_text("utf-8").splitlines():
        validator.validate(json.loads(line))


BY_CHANCE = ("debug_attn_weights", "self_attention")
"""What robin_quill returns first of what is in memory; and which limit a loop without end meets first, on a busy machine."""


def settled(record: Record) -> Record:
    """Without timings, and without what is said of robin_quill's files that end by chance."""
    record = without_timings(record)
    if record.submission != "robin_quill":
        return record
    exercises = []
    for each in record.exercises:
        if each.id in BY_CHANCE:
            silent = tuple(check.model_copy(update={"message": ""}) for check in each.checks)
            each = each.model_copy(update={"checks": silent})
        exercises.append(each)
    return record.model_copy(update={"exercises": tuple(exercises)})


def test_same_seed_gives_the_same_bytes_whatever_the_number_of_judges(out: Path, tmp_path: Path, kata: Run) -> None:
    at = "--isolation", strongest_level()
    done = kata("grade-class", "examples/class", "--out", tmp_path, "--jobs", 1, "--seed", SEED, *at, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    two_judges, one_judge = (
        [
            settled(Record.from_json(line)).to_json()
            for line in (place / "results.jsonl").read_text("utf-8").splitlines()
        ]
        for place in (out, tmp_path)
    )
    assert two_judges == one_judge


def test_pages_are_there_for_all_and_ask_the_network_for_nothing(out: Path) -> None:
    pages = {path.name: path.read_text("utf-8") for path in out.glob("*.html")}
    assert len(pages) == len(DUE) + 1
    for learner in DUE:
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
