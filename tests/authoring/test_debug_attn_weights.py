"""What a debug task gives for a repair, for a rewrite, and for no repair at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.intake import SourceFile, Submission
from grader.judge.bank import load_alternatives
from grader.judge.grading import Judge
from grader.record import CheckResult, ExerciseResult, Record

EXERCISE = "debug_attn_weights"
REPAIR = "test_repair_is_small"
FAULT = "attn_weights = F.softmax(attn_weights, dim=-1)"
MENDED = "attn_weights = F.softmax(attn_scores, dim=-1)"

REWRITES = {
    "the reference of self_attention": "reference",
    "einsum": "einsum_scaled_query",
    "the fused call": "fused",
}

Grade = Callable[[str], ExerciseResult]


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(Path(__file__).parents[2] / "course.yml")


@pytest.fixture(scope="module")
def stub(course: Course) -> str:
    text = course.stub_path(course.exercise(EXERCISE)).read_text(encoding="utf-8")
    assert text.count(FAULT) == 1
    return text


@pytest.fixture(scope="module")
def grade(course: Course) -> Iterator[Grade]:
    exercise = course.exercise(EXERCISE)
    judge = Judge(course, "process", seed=1, only=[EXERCISE])

    def graded(source: str) -> ExerciseResult:
        file = SourceFile(EXERCISE, exercise.file_name, source.encode("utf-8"))
        records: list[Record] = []
        judge.grade([Submission("ada", {EXERCISE: file}, ())], records.append)
        (record,) = records
        (result,) = record.exercises
        return result

    yield graded
    judge.close()


def check_named(result: ExerciseResult, name: str) -> CheckResult:
    return next(check for check in result.checks if check.name == name)


def lost(result: ExerciseResult) -> list[str]:
    return [check.name for check in result.checks if check.points < check.max_points]


def test_the_right_name_in_the_right_place_earns_everything(grade: Grade, stub: str) -> None:
    result = grade(stub.replace(FAULT, MENDED))

    assert (result.status, result.points) == ("passed", result.max_points)


@pytest.mark.parametrize("rewrite", REWRITES.values(), ids=REWRITES.keys())
def test_a_rewrite_loses_the_repair_alone_and_passes(course: Course, grade: Grade, rewrite: str) -> None:
    same = course.exercise("self_attention")
    answers = {"reference": course.solution_path(same).read_text("utf-8"), **load_alternatives(course, same)}
    result = grade(answers[rewrite])

    assert result.status == "passed"
    assert lost(result) == [REPAIR]
    assert check_named(result, REPAIR).message.startswith("The repair takes at most 2 lines out and puts 2 in;")


def test_comments_and_blank_lines_are_no_repair_lines(grade: Grade, stub: str) -> None:
    noted = f"# what is in it?\n\n        # the scores, of course\n        {MENDED}\n\n"

    result = grade("# my own copy\n\n" + stub.replace(f"{FAULT}\n", noted))

    assert (result.status, lost(result)) == ("passed", [])


def test_the_text_at_the_head_of_the_file_may_go(grade: Grade, stub: str) -> None:
    _, _, code = stub.split('"""')

    result = grade(code.replace(FAULT, MENDED))

    assert (result.status, lost(result)) == ("passed", [])


@pytest.mark.parametrize("ending", ["\r\n", "\n\n"], ids=["Windows line endings", "doubled line endings"])
def test_line_endings_are_no_repair(grade: Grade, stub: str, ending: str) -> None:
    result = grade(stub.replace(FAULT, MENDED).replace("\n", ending))

    assert (result.status, lost(result)) == ("passed", [])


def test_left_over_prints_cost_the_repair_points(grade: Grade, stub: str) -> None:
    prints = "".join(f"        print({name}.shape)\n" for name in ("query", "key", "value"))

    result = grade(stub.replace(f"        {FAULT}\n", f"{prints}        {MENDED}\n"))

    assert (result.status, lost(result)) == ("passed", [REPAIR])


def test_the_untouched_file_is_not_started(grade: Grade, stub: str) -> None:
    assert grade(stub).status == "not_started"


def test_a_comment_alone_earns_nothing(grade: Grade, stub: str) -> None:
    result = grade(stub + "\n# looked at it\n")

    assert (result.status, result.points) == ("failed", 0)
    assert [found.mistake for found in result.diagnosis] == ["fault-still-there"]
    assert "UnboundLocalError" in check_named(result, "test_fault_is_gone").message


@pytest.mark.parametrize(
    ("mended", "mistake"),
    [
        ("attn_weights = F.softmax(query, dim=-1)", "softmax-of-the-query"),
        pytest.param(
            "attn_weights = F.softmax(attn_scores * self.scaling, dim=-1)", "scaled-twice", marks=pytest.mark.thorough
        ),
        pytest.param("attn_weights = F.softmax(attn_scores, dim=1)", "other-dim", marks=pytest.mark.thorough),
        pytest.param(
            "attn_weights = torch.ones_like(attn_scores) / x.shape[1]", "uniform-weights", marks=pytest.mark.thorough
        ),
    ],
    ids=["softmax of the query", "scaled twice", "other dim", "uniform weights"],
)
def test_a_small_repair_that_is_wrong_earns_nothing_and_is_named(
    grade: Grade, stub: str, mended: str, mistake: str
) -> None:
    result = grade(stub.replace(FAULT, mended))

    assert (result.status, result.points) == ("failed", 0)
    assert [found.mistake for found in result.diagnosis] == [mistake]


def test_the_file_given_does_not_say_where_the_fault_is(stub: str) -> None:
    lesson, code = stub.split('"""')[1], stub.split('"""')[2]

    assert "UnboundLocalError" in lesson
    assert "attn_" not in lesson
    assert not any(word in code.lower() for word in ("fault", "bug", "fixme", "todo", "solution"))
