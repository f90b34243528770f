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


def test_many_checks_without_a_reason_have_no_summary() -> None:
    (failure,) = verdict(*(check(name) for name in "abc")).failures
    assert failure.summary == ""


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
