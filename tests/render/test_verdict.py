"""The one view of a verdict: what every painting of it shows."""

from __future__ import annotations

from typing import Any

from grader.record import CheckResult, Diagnosis, Mismatch, Status
from grader.render.verdict import ExerciseVerdict, by_unit, verdict_on, verdict_on_check

from ..cases import rows
from .conftest import CASES, check_of, result_of

SEEN = Mismatch("The output", (), ((1.0,),), ((2.0,),), ((True,),), "1 of 1 numbers is off.")
NOT_HERE = "This can only be checked when you hand in."
ERROR = "RuntimeError in line 3, in `f` (`a @ b`): sizes"


def verdict(*checks: CheckResult, status: Status = "failed", mistake: str = "") -> ExerciseVerdict:
    diagnosis = (Diagnosis(mistake="known", message=mistake),) if mistake else ()
    result = result_of(*checks, status=status).model_copy(update={"diagnosis": diagnosis})
    mismatches = {("softmax", each.name): SEEN for each in checks}
    return verdict_on(result, title="Softmax by hand", mismatches=mismatches, lines=3)


def of_messages(*messages: str, mistake: str = "") -> ExerciseVerdict:
    """Of checks that failed with these messages, called 0, 1, 2 and so on."""
    return verdict(*(check_of(str(n), message=text) for n, text in enumerate(messages)), mistake=mistake)


@rows(CASES["failures"], "messages", "failures", "summary", "others", "left_out")
def test_a_reason_is_one_failure_and_brief_has_the_first_and_a_check_for_each_other_way(
    messages: list[str], failures: list[str], summary: str, others: str, left_out: str
) -> None:
    shown = of_messages(*messages)
    assert ["".join(each.name for each in failure.checks) for failure in shown.failures] == failures
    assert shown.brief is not None and shown.brief.first is shown.failures[0]
    assert shown.brief.first.summary == summary
    assert "".join(each.name for each in shown.brief.others) == others
    assert shown.brief.left_out == left_out


def test_brief_has_no_other_ways_where_a_mistake_is_named() -> None:
    brief = of_messages("a", "b", "c", "d", mistake="mask").brief
    assert brief is not None and (brief.others, brief.left_out) == ((), "... and 3 more checks fail.")


def test_an_error_in_one_line_is_one_failure_told_by_a_visible_check() -> None:
    first, second = verdict(
        check_of("a", message=f"{ERROR} 2 and 3", visible=False),
        check_of("b", message=f"{ERROR} 4 and 5\n    a  (2, 4)"),
        check_of("c", message=f"{ERROR.replace('line 3', 'line 4')} 2 and 3"),
    ).failures
    assert first.message == f"{ERROR} 4 and 5\n    a  (2, 4)"
    assert [each.name for each in second.checks] == ["c"]


def test_numbers_are_seen_only_of_visible_checks_that_failed_and_then_not_listed_too() -> None:
    listed = check_of("seen", message="It should be [1.0]; yours is [2.0].")
    shown = verdict(
        listed, check_of("told", message="No."), check_of("hidden", visible=False), check_of("right", "passed")
    )
    assert [each.name for each in shown.checks if each.mismatch] == ["seen", "told"]
    assert [each.message for each in shown.checks] == ["", "No.", "", ""]


def test_all_text_is_made_safe_and_bounded() -> None:
    long = check_of("a", message="\x1b[2J\n" * 100, title="A\u202etitle\nof two lines")
    shown = verdict(long, mistake="\x1b]0;\u202e")
    (first,) = shown.checks
    assert first.title == "A\\u202etitle\\nof two lines"
    assert first.message.split("\n") == ["\\x1b[2J"] * 3 + ["... (97 more lines)"]
    assert shown.probably == ("\\x1b]0;\\u202e",)


@rows(CASES["endings"], "given", "status", "aside", "said")
def test_one_check_tells_how_it_ended(given: Any, status: Status, aside: str, said: str) -> None:
    shown = verdict_on_check(check_of("a", **given))
    assert (shown.status, shown.aside, shown.said) == (status, aside, said)


def test_checks_that_could_not_run_here_give_their_reason_and_the_others_hold() -> None:
    shown = verdict(check_of("a", "passed"), check_of("b", "skipped", NOT_HERE), status="partly")
    assert [(each.status, each.aside) for each in shown.passed] == [("partly", "holds")]
    assert [each.message for each in shown.unanswerable] == [NOT_HERE]
    assert shown.remark == "What could be checked here holds; 1 check runs when you hand in."


@rows(CASES["notes"], "status", "on_file", "on_cell")
def test_what_was_not_checked_says_why(status: Status, on_file: str, on_cell: str) -> None:
    for in_cell, note in enumerate((on_file, on_cell)):
        shown = verdict_on(result_of(status=status), in_cell=bool(in_cell))
        assert (shown.note, shown.is_checked, shown.title) == (note, False, "softmax")


def test_units_lose_no_exercise() -> None:
    units = {"1. Lookup": ["softmax", "other"]}, {"1. Lookup": ["other"]}, {}
    named = [by_unit([verdict(check_of("a"))], list(each.items())) for each in units]
    assert [title for ((title, _),) in named] == ["1. Lookup", "Other exercises", "Exercises"]
