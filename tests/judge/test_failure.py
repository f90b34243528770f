"""The sentence for an error of the learner's code: what it shows of the failing line."""

from __future__ import annotations

from typing import Any

from grader.judge.failure import error_text, read_error

from ..cases import rows, table

CASES: dict[str, Any] = table(__file__, "failure.yml")
FILE: str = CASES.pop("file")


@rows(CASES)
def test_an_error_is_told_with_the_learners_line_and_a_hidden_check_shows_no_numbers(case: dict[str, Any]) -> None:
    for sight in case.keys() & {"hidden", "visible"}:
        lines = case.get("file", FILE).splitlines()
        assert error_text(read_error(case["error"]), lines, "", hide_numbers=sight == "hidden") == case[sight]
