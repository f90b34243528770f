"""The one view of a verdict: what every painting of it shows."""

from __future__ import annotations

from typing import Any

import pytest

from grader.mismatch import Mismatch
from grader.record import CheckResult, Diagnosis, ExerciseResult, Status
from grader.render.verdict import ExerciseVerdict, by_unit, verdict_on, verdict_on_check
from grader.render.wording import NOT_GRADED

SEEN = Mismatch("The output", (), ((1.0,),), ((2.0,),), ((True,),), "1 of 1 numbers is off.")
NOT_HERE = "This can only be checked when you hand in."
ERROR = "RuntimeError in line 3, in `f` (`a @ b`): sizes"
WRONG = "The output has the right shape, but {} of its 9 numbers are wrong."


def check(name: str, outcome: str = "failed", message: str = "", **more: Any) -> CheckResult:
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


def of_messages(*messages: str, mistakes: tuple[str, ...] = ()) -> ExerciseVerdict:
    """Of checks that failed with these messages, called 0, 1, 2 and so on."""
    return verdict(*(check(str(number), message=text) for number, text in enumerate(messages)), mistakes=mistakes)


@pytest.mark.parametrize(
    ("messages", "failures", "summary", "others", "left_out"),
    [
        pytest.param(["Row 0.", "Row 1.", "Row 0."], ["02", "1"], "", "", "2 more checks fail", id="one reason each"),
        pytest.param(
            ["SyntaxError"] * 3, ["012"], "3 checks failed for this reason  0 / 3", "", "", id="many for one reason"
        ),
        pytest.param(["", "", ""], ["0", "1", "2"], "", "12", "", id="without a reason each by itself"),
        pytest.param([WRONG.format(2), WRONG.format(5)], ["0", "1"], "", "", "1 more check fails", id="wrong numbers"),
        pytest.param([WRONG.format(2), "No gradient reaches `x`."], ["0", "1"], "", "1", "", id="another way"),
        pytest.param(
            [f"{ERROR} 1"] * 3 + ["Not a tensor."],
            ["012", "3"],
            "3 checks failed for this reason  0 / 3",
            "3",
            "",
            id="many with one error",
        ),
        pytest.param(list("abcdef"), list("012345"), "", "12", "3 more checks fail", id="too many ways"),
    ],
)
def test_a_reason_is_one_failure_and_brief_has_the_first_and_a_check_for_each_other_way(
    messages: list[str], failures: list[str], summary: str, others: str, left_out: str
) -> None:
    shown = of_messages(*messages)
    assert ["".join(each.name for each in failure.checks) for failure in shown.failures] == failures
    assert shown.brief is not None and shown.brief.first is shown.failures[0]
    assert shown.brief.first.summary == summary
    assert "".join(each.name for each in shown.brief.others) == others
    assert shown.brief.left_out == (f"... and {left_out}." if left_out else "")


def test_brief_has_no_other_ways_where_a_mistake_is_named() -> None:
    brief = of_messages("a", "b", "c", "d", mistakes=("mask",)).brief
    assert brief is not None and (brief.others, brief.left_out) == ((), "... and 3 more checks fail.")


@pytest.mark.parametrize(
    ("message", "mistake", "is_said"),
    [
        ("Not refused: add an `assert`.", "The width is not refused. Begin with an assert.", False),
        ("`W`: a tensor that training never changes.", "A plain tensor is never changed by training.", False),
        ("The output is float32; float64 was expected.", "The output is always float32, not float64.", True),
        ("There is no buffer named `mask`.", "The tensor stays behind when the module moves.", True),
    ],
)
def test_brief_leaves_out_a_reason_that_the_named_mistake_says(message: str, mistake: str, is_said: bool) -> None:
    shown = of_messages(message, mistakes=(mistake,))
    assert shown.brief is not None and shown.brief.first.message == (message if is_said else "")
    assert shown.failures[0].message == message, "said where there is room"


def test_an_error_in_one_line_is_one_failure_told_by_a_visible_check() -> None:
    first, second = verdict(
        check("a", message=f"{ERROR} 2 and 3", visible=False),
        check("b", message=f"{ERROR} 4 and 5\n    a  (2, 4)"),
        check("c", message=f"{ERROR.replace('line 3', 'line 4')} 2 and 3"),
    ).failures
    assert first.message == f"{ERROR} 4 and 5\n    a  (2, 4)"
    assert [each.name for each in second.checks] == ["c"]


def test_numbers_are_seen_only_of_visible_checks_that_failed_and_then_not_listed_too() -> None:
    listed = check("seen", message="It should be [1.0]; yours is [2.0].")
    shown = verdict(listed, check("told", message="No."), check("hidden", visible=False), check("right", "passed"))
    assert [each.name for each in shown.checks if each.mismatch] == ["seen", "told"]
    assert [each.message for each in shown.checks] == ["", "No.", "", ""]


def test_all_text_is_made_safe_and_bounded() -> None:
    long = check("a", message="\x1b[2J\n" * 100, title="A\u202etitle\nof two lines")
    shown = verdict(long, mistakes=("\x1b]0;\u202e",))
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
    ("status", "on_file", "on_cell"),
    [
        ("missing", "There is no file for this exercise.", "There is no answer to this exercise in the notebook."),
        ("not_started", "The file is as it was given.", "The cell is as it was given."),
        ("error", NOT_GRADED, NOT_GRADED),
    ],
)
def test_what_was_not_checked_says_why(status: Status, on_file: str, on_cell: str) -> None:
    given = {"id": "softmax", "status": status, "points": 0.0, "max_points": 1.0, "seconds": 0.0}
    empty = ExerciseResult.model_validate({**given, "checks": (), "diagnosis": ()})
    for in_cell, note in enumerate((on_file, on_cell)):
        shown = verdict_on(empty, in_cell=bool(in_cell))
        assert (shown.note, shown.is_checked, shown.title) == (note, False, "softmax")


def test_units_lose_no_exercise() -> None:
    units = {"1. Lookup": ["softmax", "other"]}, {"1. Lookup": ["other"]}, {}
    named = [by_unit([verdict(check("a"))], list(each.items())) for each in units]
    assert [unit.title for (unit,) in named] == ["1. Lookup", "Other exercises", "Exercises"]
