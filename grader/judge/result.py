"""From how an exercise's checks ended to its result: outcomes, points, messages and status."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.record import CheckResult, Diagnosis, ExerciseResult, Outcome, Status, inert
from grader.sandbox.launch import MachineError

from .authored import line_of, place
from .checks import Check, Kit
from .faults import CheckFailed, NotInPlan
from .points import Role, Worth

MAX_MESSAGE = 2000

NOT_IN_PLAN = "This can only be checked when you hand in."
UNCOUNTED = "Counts once the main check of this exercise passes."

EARLY: tuple[Role, ...] = ("main", "behaviour")
"""Roles of checks whose points count even when a main check fails."""


@dataclass(frozen=True)
class Ending:
    """How one check ended for one submission."""

    outcome: Outcome | Literal["machine"]
    message: str = ""


PASSED = Ending("passed")
SKIPPED = Ending("skipped")


def ending_of(error: BaseException, written_in: Path | None = None) -> Ending:
    """Classify an error: only CheckFailed is the learner's; others are the grader's fault, or not in a plan.

    written_in: the file of the check, for its author.
    """
    if isinstance(error, CheckFailed):
        return Ending("failed", _shortened(str(error)))
    if isinstance(error, MachineError):
        return Ending("machine", str(error))
    if isinstance(error, NotInPlan):
        return Ending("skipped", NOT_IN_PLAN)
    line = line_of(error, written_in) if written_in else 0
    where = f", {place(written_in, line)}" if written_in and line else ""
    return Ending("error", f"The grader failed at this check ({type(error).__name__}: {error}{where})")


def _shortened(text: str) -> str:
    """Limit a message, which may quote text of any length from a learner's code."""
    text = inert(text)  # as the record will hold it: escaping makes it longer
    return text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + " ..."


def without_work(kit: Kit, status: Literal["missing", "not_started"]) -> ExerciseResult:
    """The result of an exercise in which there is nothing to check."""
    return ExerciseResult(
        id=kit.exercise.id,
        status=status,
        points=0.0,
        max_points=kit.exercise.points,
        checks=tuple(_check(check, SKIPPED, counts=False) for check in kit.checks),
        diagnosis=(),
        seconds=0.0,
    )


def result_of(
    kit: Kit,
    endings: Mapping[str, Ending],
    doubts: Mapping[str, str],
    diagnosis: Sequence[Diagnosis],
    seconds: float,
) -> ExerciseResult:
    """The result of an exercise.

    endings: of each check, by name. doubts: a sentence for each check of something else in which an output was wrong.
    """
    if _is_main_passed(kit, endings):  # otherwise the main checks' failures say enough
        doubted = {name: Ending("failed", doubts[name]) for name in doubts if endings[name].outcome == "passed"}
        endings = {**endings, **doubted}
    is_main_passed = _is_main_passed(kit, endings)
    # no points as long as only some of the checks could run
    is_known = all(ending.outcome != "skipped" for ending in endings.values())
    checks = tuple(
        _check(each, endings[each.name], is_known=is_known, counts=is_main_passed or each.worth.role in EARLY)
        for each in kit.checks
    )
    return ExerciseResult(
        id=kit.exercise.id,
        status=_status(kit, endings, is_known=is_known),
        points=round(math.fsum(check.points for check in checks), 6),
        max_points=kit.exercise.points,
        checks=checks,
        diagnosis=tuple(diagnosis),
        seconds=seconds,
    )


def _is_main_passed(kit: Kit, endings: Mapping[str, Ending]) -> bool:
    return all(endings[each.name].outcome == "passed" for each in kit.checks if each.worth.role == "main")


def _status(kit: Kit, endings: Mapping[str, Ending], *, is_known: bool) -> Status:
    if any(ending.outcome in ("error", "machine") for ending in endings.values()):
        return "error"
    behaviour = {endings[each.name].outcome for each in kit.checks if each.worth.role != "repair"}
    if not kit.checks or "failed" in behaviour:
        return "failed"
    return "passed" if is_known else "partly"


def _check(check: Check, ending: Ending, *, counts: bool, is_known: bool = True) -> CheckResult:
    worth: Worth = check.worth
    is_passed = ending.outcome == "passed"
    return CheckResult(
        name=check.name,
        title=worth.title,
        outcome="error" if ending.outcome == "machine" else ending.outcome,
        points=worth.points if is_passed and counts and is_known else 0.0,
        max_points=worth.points,
        visible=worth.visible,
        message=UNCOUNTED if is_passed and is_known and not counts else ending.message,
    )
