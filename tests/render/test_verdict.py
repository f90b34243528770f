"""The one view of a verdict, for the rows of verdicts.yml: brief, in full, and each check by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.record import Mismatch
from grader.render.terminal import print_verdict, print_verdicts
from grader.render.verdict import by_unit, verdict_on

from ..cases import table
from .conftest import check_of, class_record, printed, result_of

GOLDEN = Path(__file__).parent / "golden"
SEEN = Mismatch("The output", (), ((1.0,),), ((2.0,),), ((True,),), "1 of 1 numbers is off.")


def shown(name: str, case: dict[str, Any]) -> str:
    given = [{"message": each} if isinstance(each, str) else each for each in case["checks"]]
    checks = [check_of(str(number), **each) for number, each in enumerate(given)]
    result = result_of(*checks, status=case.get("status", "failed"), mistakes=case.get("mistakes", ()))
    seen = {("softmax", each.name): SEEN for each in checks} if "seen" in case else {}
    record, verdict = class_record("someone", [result]), verdict_on(result, mismatches=seen)
    brief = printed(lambda console: print_verdicts(record, console, titles={}, mismatches=seen))
    full = printed(lambda console: print_verdict(verdict, console))
    alone = "".join(f"  {each.name}: {each.ended}. {each.said}".rstrip() + "\n" for each in verdict.checks)
    notes = "" if verdict.is_checked else f"  {verdict.note}\n  {verdict_on(result, in_cell=True).note}\n"
    return f"# {name}\n{brief}-- in full\n{full}-- one by one\n{alone}{notes}"


def test_verdicts_show_what_failed_and_why(golden: Callable[[Path, str], None]) -> None:
    golden(GOLDEN / "verdicts.txt", "\n".join(shown(*each) for each in table(__file__, "verdicts.yml").items()))


def test_units_lose_no_exercise() -> None:
    units = {"1. Lookup": ["softmax", "other"]}, {"1. Lookup": ["other"]}, {}
    named = [by_unit([verdict_on(result_of(check_of("a")))], list(each.items())) for each in units]
    assert [title for ((title, _),) in named] == ["1. Lookup", "Other exercises", "Exercises"]
