"""The one view of a verdict: what every painting of it shows."""

from __future__ import annotations

import pytest

from grader.mismatch import Mismatch
from grader.record import CheckResult, Diagnosis, ExerciseResult, Outcome, Status
from grader.render.verdict import ExerciseVerdict, by_unit, verdict_on, verdict_on_check
from grader.render.wording import NOT_GRADED

NOT_HERE = "This can only be checked when you hand in."

SEEN = Mismatch("The output", (), ((1.0,),), ((2.0,),), ((True,),), "1 of 1 numbers is off.")


def check(name: str, outcome: Outcome = "failed", message: str = "", **more: bool | float | str) -> CheckResult:
    points = 1.0 if outcome == "passed" else 0.0
    given = {"title": f"Title of {name}.", "points": points, "max_points": 1.0, "visible": True, **more}
    return CheckResult.model_validate({"name": name, "outcome": outcome, "message": message, **given})


def verdict(*checks: CheckResult, status: Status = "failed", mistakes: tuple[str, ...] = ()) -> ExerciseVerdict:
    result = ExerciseResult(
        id="softmax",
        status=status,
        points=sum(each.points for each in checks),
        max_points=sum(each.max_points for each in checks),
        checks=checks,
        diagnosis=tuple(Diagnosis(mistake=each, message=each) for each in mistakes),
        seconds=0.0,
    )
    mismatches = {("softmax", each.name): SEEN for each in checks}
    return verdict_on(result, title="Softmax by hand", mismatches=mismatches, lines=3)


def test_checks_that_fail_for_one_reason_are_one_failure() -> None:
    shown = verdict(check("a", message="Row 0."), check("b", message="Row 1."), check("c", message="Row 0."))
    assert [(failure.message, [each.name for each in failure.checks]) for failure in shown.failures] == [
        ("Row 0.", ["a", "c"]),
        ("Row 1.", ["b"]),
    ]
    assert [failure.summary for failure in shown.failures] == ["", ""]


def test_many_checks_that_fail_for_one_reason_have_a_summary() -> None:
    (failure,) = verdict(*(check(name, message="SyntaxError") for name in "abc")).failures
    assert failure.summary == "3 checks failed for this reason  0 / 3"


def test_checks_without_a_reason_are_failures_by_themselves() -> None:
    assert [failure.summary for failure in verdict(*(check(name) for name in "abc")).failures] == ["", "", ""]


ERROR = "RuntimeError in line 3, in `f` (`a @ b`): sizes"


def test_an_error_in_one_line_is_one_failure_told_by_a_visible_check() -> None:
    checks = [
        check("a", message=f"{ERROR} 2 and 3", visible=False),
        check("b", message=f"{ERROR} 4 and 5\n    a  (2, 4)"),
        check("c", message=f"{ERROR.replace('line 3', 'line 4')} 2 and 3"),
    ]
    first, second = verdict(*checks).failures
    assert first.message == f"{ERROR} 4 and 5\n    a  (2, 4)"
    assert [each.name for each in second.checks] == ["c"]


WRONG = "The output has the right shape, but {} of its 9 numbers are wrong."


@pytest.mark.parametrize(
    ("messages", "others", "more"),
    [
        pytest.param([WRONG.format(2), WRONG.format(5)], [], 1, id="other wrong numbers are the same way"),
        pytest.param([WRONG.format(2), "No gradient reaches `x`."], ["1"], 0, id="another way"),
        pytest.param(["Row 0 sums to 1.1.", "Row 2 sums to 0.7."], [], 1, id="other numbers in a sentence"),
        pytest.param(["", ""], ["1"], 0, id="nothing but titles"),
        pytest.param([f"{ERROR} 1"] * 3 + ["Not a tensor."], ["3"], 0, id="many with one error"),
        pytest.param(list("abcdef"), ["1", "2", "3"], 2, id="too many ways"),
    ],
)
def test_brief_has_the_first_failure_and_a_check_for_each_other_way(
    messages: list[str], others: list[str], more: int
) -> None:
    brief = verdict(*(check(str(number), message=text) for number, text in enumerate(messages))).brief
    assert brief is not None and brief.first.checks[0].name == "0"
    told = {0: "", 1: "... and 1 more check fails.", 2: "... and 2 more checks fail."}[more]
    assert ([each.name for each in brief.others], brief.left_out) == (others, told)


def test_brief_has_no_other_ways_where_a_mistake_is_named() -> None:
    brief = verdict(*(check(text, message=text) for text in "abcd"), mistakes=("mask",)).brief
    assert brief is not None and (brief.others, brief.left_out) == ((), "... and 3 more checks fail.")


def test_what_a_table_shows_is_not_told_in_a_list_too() -> None:
    (listed, told) = verdict(
        check("a", message="It should be [1.0]; yours is [2.0]."), check("b", message="No.")
    ).checks
    assert (listed.message, told.message) == ("", "No.")


def test_numbers_are_seen_only_of_visible_checks_that_failed() -> None:
    shown = verdict(check("seen"), check("hidden", visible=False), check("right", "passed"))
    assert [each.name for each in shown.checks if each.mismatch] == ["seen"]


def test_all_text_is_made_safe_and_bounded() -> None:
    shown = verdict(
        check("a", message="\x1b[2J\n" * 100, title="A\u202etitle\nof two lines"), mistakes=("\x1b]0;\u202e",)
    )
    (first,) = shown.checks
    assert first.title == "A\\u202etitle\\nof two lines"
    assert first.message.split("\n") == ["\\x1b[2J"] * 3 + ["... (97 more lines)"]
    assert shown.probably == ("\\x1b]0;\\u202e",)


@pytest.mark.parametrize(
    ("result", "status", "aside", "said"),
    [
        pytest.param(check("a", message="Row 0."), "failed", "", "Row 0.", id="failed"),
        pytest.param(check("a", "error", "ZeroDivisionError in the check"), "error", "", NOT_GRADED, id="grader-broke"),
        pytest.param(check("a", "skipped"), "missing", "", "Not run.", id="not-run"),
        pytest.param(
            check("a", "passed", points=0.0), "passed", "counts once the main check passes", "", id="points-wait"
        ),
    ],
)
def test_one_check_tells_how_it_ended(result: CheckResult, status: Status, aside: str, said: str) -> None:
    shown = verdict_on_check(result)
    assert (shown.status, shown.aside, shown.said) == (status, aside, said)


def test_checks_that_could_not_run_here_give_their_reason_and_the_others_hold() -> None:
    shown = verdict(check("a", "passed"), check("b", "skipped", NOT_HERE), status="partly")
    assert [(each.status, each.aside) for each in shown.passed] == [("partly", "holds")]
    assert [each.message for each in shown.unanswerable] == [NOT_HERE]
    assert shown.remark == "What could be checked here holds; 1 check runs when you hand in."


@pytest.mark.parametrize(
    ("status", "in_cell", "note"),
    [
        ("missing", False, "There is no file for this exercise."),
        ("missing", True, "There is no answer to this exercise in the notebook."),
        ("not_started", False, "The file is as it was given."),
        ("not_started", True, "The cell is as it was given."),
        ("error", True, NOT_GRADED),
    ],
)
def test_what_was_not_checked_says_why(status: Status, in_cell: bool, note: str) -> None:
    empty = ExerciseResult(
        id="softmax", status=status, points=0.0, max_points=1.0, checks=(), diagnosis=(), seconds=0.0
    )
    shown = verdict_on(empty, in_cell=in_cell)
    assert (shown.note, shown.is_checked, shown.title) == (note, False, "softmax")


def test_units_lose_no_exercise() -> None:
    one = verdict(check("a"))
    assert [(unit.title, len(unit.exercises)) for unit in by_unit([one], [("1. Lookup", ["softmax", "other"])])] == [
        ("1. Lookup", 1)
    ]
    assert [unit.title for unit in by_unit([one], [("1. Lookup", ["other"])])] == ["Other exercises"]
    assert [unit.title for unit in by_unit([one], [])] == ["Exercises"]
