"""Words, signs and grouping shared by all reports, so that they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.record import HIDDEN, Adjustment, CheckResult, ExerciseResult, Isolation, Record, Status

Units = Sequence[tuple[str, Sequence[str]]]

MANY_CHECKS = 3
"""From this many checks with the same reason on, the reason is shown instead of their titles."""


@dataclass(frozen=True)
class Mark:
    """How a status is displayed: never by colour alone."""

    word: str
    sign: str
    ascii_sign: str


MARKS: Mapping[Status, Mark] = {
    "passed": Mark("passed", "✓", "+"),
    "failed": Mark("failed", "✗", "x"),
    "partly": Mark("in part", "~", "~"),
    "not_started": Mark("not started", "○", "o"),
    "missing": Mark("missing", "·", "-"),
    "error": Mark("not graded", "!", "!"),
}

IN_CLASSES: Mapping[Status, Mark] = {status: mark for status, mark in MARKS.items() if status != "partly"}
"""A class is graded with all checks, so nothing is partly checked."""

CHECKED: tuple[Status, ...] = ("passed", "failed", "partly", "error")
"""Statuses of an exercise whose checks ran."""

NOT_GRADED = "The grader itself failed here. That is no fault of the submission, and it is not a zero."

HOW_TO_ASK = (
    "If a lost point seems wrong to you, ask whoever teaches the course, and name the exercise and the sentence of the "
    "check: exactly this check can be run again with your file."
)
"""Shown on every page on which a learner may have lost points."""

ISOLATION: Mapping[Isolation, str] = {
    "full": "full",
    "reduced": "reduced (no namespaces; chosen by whoever graded)",
    "process": "process (for practice; no wall, so not a grade)",
    "none": "none (for practice; no wall, so not a grade)",
}


@dataclass(frozen=True)
class UnitResults:
    """One unit's title and its exercises in the record."""

    title: str
    exercises: tuple[ExerciseResult, ...]

    @property
    def points(self) -> float:
        """Points earned in the unit."""
        return sum(exercise.points for exercise in self.exercises)

    @property
    def max_points(self) -> float:
        """Points that the unit's graded exercises are worth."""
        return sum(exercise.max_points for exercise in self.exercises)


@dataclass(frozen=True)
class Finding:
    """Checks that failed with the same message, which is shown once."""

    checks: tuple[CheckResult, ...]
    message: str


def by_unit(record: Record, units: Units) -> list[UnitResults]:
    """The record's exercises grouped by unit; those without a unit come last, none is left out."""
    results = {exercise.id: exercise for exercise in record.exercises}
    grouped = [
        UnitResults(title, tuple(results.pop(id) for id in exercise_ids if id in results))
        for title, exercise_ids in units
    ]
    rest = UnitResults("Other exercises" if units else "Exercises", tuple(results.values()))
    return [unit for unit in (*grouped, rest) if unit.exercises]


def findings(exercise: ExerciseResult) -> list[Finding]:
    """The failures of an exercise, in the checks' order, each distinct message once."""
    groups: dict[str, list[CheckResult]] = {}
    for check in exercise.checks:
        if check.outcome in ("failed", "error"):
            groups.setdefault(check.message, []).append(check)
    return [Finding(tuple(checks), message) for message, checks in groups.items()]


def common_cause(finding: Finding) -> str:
    """The remark on several checks that failed for one reason, shown instead of their titles; "" for few checks."""
    if len(finding.checks) < MANY_CHECKS or not finding.message.strip():
        return ""
    points, most = (sum(getattr(check, name) for check in finding.checks) for name in ("points", "max_points"))
    return f"{counted(len(finding.checks), 'check')} failed for this reason  {score(points)} / {score(most)}"


def unseen(exercise: ExerciseResult) -> tuple[CheckResult, ...]:
    """The hidden checks that did not run for a checked exercise, because a learner's bundle does not contain them."""
    is_checked = exercise.status in CHECKED
    return tuple(
        check for check in exercise.checks if is_checked and check.outcome == "skipped" and check.message == HIDDEN
    )


def unanswerable(exercise: ExerciseResult) -> tuple[CheckResult, ...]:
    """The checks of a checked exercise that needed more than a learner's bundle knows."""
    return tuple(
        check
        for check in exercise.checks
        if exercise.status in CHECKED and check.outcome == "skipped" and check.message not in ("", HIDDEN)
    )


def not_run(exercise: ExerciseResult) -> str:
    """A remark about checks that were skipped, or ""."""
    left = sum(check.outcome == "skipped" for check in exercise.checks)
    if not left or exercise.status not in CHECKED:
        return ""
    if exercise.status == "partly":
        return f"{held_so_far(left, is_example=bool(unseen(exercise)))}."
    return f"{when_handed_in(left)}." if unseen(exercise) else f"{counted(left, 'check')} not run."


def held_so_far(left: int, *, is_example: bool, begins: bool = True) -> str:
    """The remark on an exercise whose checks passed as far as they ran, while `left` checks did not run."""
    said = f"{'the example passes' if is_example else 'what could be checked here holds'}; {when_handed_in(left)}"
    return said[0].upper() + said[1:] if begins else said


def when_handed_in(left: int) -> str:
    """The remark that this many checks run at hand-in."""
    return f"{counted(left, 'check')} {'runs' if left == 1 else 'run'} when you hand in"


def checks_passed(exercises: Sequence[ExerciseResult]) -> tuple[int, int]:
    """The number of checks passed, and of all checks: where most are missing, this says more than points."""
    checks = [check for exercise in exercises for check in exercise.checks]
    return sum(check.outcome == "passed" for check in checks), len(checks)


def waits_for_main(check: CheckResult) -> bool:
    """Whether the check passed but its points depend on the exercise's main check."""
    return check.outcome == "passed" and check.points < check.max_points


def ungraded(record: Record) -> str:
    """The warning that the record's points are not a mark, or ""."""
    count = sum(exercise.status == "error" for exercise in record.exercises)
    return f"{counted(count, 'exercise')} could not be graded, so these points are not a mark." if count else ""


def passed_count(record: Record) -> int:
    """How many exercises passed."""
    return sum(exercise.status == "passed" for exercise in record.exercises)


def partly_count(record: Record) -> int:
    """How many exercises passed all checks that could run, while others did not run."""
    return sum(exercise.status == "partly" for exercise in record.exercises)


def score(value: float) -> str:
    """Points as people write them: 4, 61.5, 0.25."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def which_attempt(record: Record) -> str:
    """Which of several attempts a record is, such as "attempt 2 of 3"; "" if there is only one."""
    return f"attempt {record.attempt.number} of {record.attempt.of}" if record.attempt else ""


def change(adjustment: Adjustment) -> str:
    """An adjustment's effect on the points: -2.5, 0."""
    return score(adjustment.points)


def counted(count: int, noun: str) -> str:
    """A number with its noun, singular or plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def share(points: float, max_points: float) -> float:
    """Points divided by the maximum, at most 1; 0 when the maximum is 0."""
    return min(points / max_points, 1.0) if max_points > 0 else 0.0
