"""What a verdict shows, as data: made once from a record, painted by terminal, pages, notebook, pytest and exports.

    verdict = verdict_on(result, title="Softmax by hand", mismatches=mismatches, lines=12)
    for failure in verdict.failures:
        for check in failure.checks:
            print(check.title, check.score)
        print(failure.message)

All text here is safe to show. A painter escapes it for its own format, wraps and colours it, and leaves out what it has
no room for. It takes no text from the record and works nothing out.

The parts of a verdict, in reading order: `note` (why nothing was checked), `probably` (the mistakes named; write
"Probably: " in front of each), `failures`, `passed`, `unanswerable`, `remark` (how many checks did not run). A small
screen has `brief` instead of `failures`. What shows one check at a time (pytest, Gradescope, JUnit) writes
`check.title`, `check.said` and, once, `verdict.probably`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.mismatch import Mismatch, Mismatches
from grader.record import CheckResult, ExerciseResult, Outcome, Record, Status

from .safe_text import safe_block, safe_line
from .wording import CHECKED, MARKS, NOT_GRADED, Units, counted, score

MESSAGE_LINES = 60
MANY_CHECKS = 3
"""From this many checks with the same reason on, a painter may show `Failure.summary` instead of their titles."""

OTHER_WAYS = 3
"""How many further ways to fail `Brief` has at most; none where a mistake is named, which explains them."""

NO_MISMATCHES: Mismatches = {}

ERROR_PLACE = re.compile(r"\A[^\n:]{1,80}? in line \d{1,6}\b")
"""The begin of the message of an error: its type and the learner's line. What follows differs with a case's sizes."""
ONLY_NUMBERS = re.compile(r"has the right shape, but|\byours (?:is|are) \[|right elsewhere, is wrong|numbers? is right")
"""Messages that say no more than that numbers are wrong, and which."""
OWN_LINE = re.compile(r" in line \d{1,6}\b[^:]*(?=:)")
"""A learner's line in a sentence that says what is wrong after a colon."""
NUMBER = re.compile(r"\d[\d.,]*")

_NOTES: Mapping[Status, str] = {
    "error": NOT_GRADED,
    "missing": "There is no file for this exercise.",
    "not_started": "The file is as it was given.",
}
_NOTES_ON_CELLS: Mapping[Status, str] = {
    **_NOTES,
    "missing": "There is no answer to this exercise in the notebook.",
    "not_started": "The cell is as it was given.",
}
_STATUSES: Mapping[Outcome, Status] = {"passed": "passed", "failed": "failed", "error": "error", "skipped": "missing"}


@dataclass(frozen=True)
class CheckVerdict:
    """One check: the sentence it stands for, how it ended, its points and why.

    status: whose mark to show; "partly" for a check that holds while others of its exercise did not run.
    message: why it did not pass, in lines; "" when there is nothing to say, or no more than `mismatch` shows.
    aside: what else to know, in a few words, such as "counts once the main check passes"; mostly "".
    mismatch: yours and what was expected, and where they differ; only for a visible check that failed.
    """

    name: str
    title: str
    outcome: Outcome
    status: Status
    points: float
    max_points: float
    message: str = ""
    aside: str = ""
    mismatch: Mismatch | None = None

    @property
    def score(self) -> str:
        """Its points: "0 / 2"; "" while it only holds."""
        return "" if self.status == "partly" else _score(self.points, self.max_points)

    @property
    def ended(self) -> str:
        """How it ended: "failed", "holds", "passed, counts once the main check passes"."""
        word = "" if self.status == "partly" else MARKS[self.status].word
        return ", ".join(filter(None, (word, self.aside)))

    @property
    def said(self) -> str:
        """What to tell of this check by itself. What broke inside the grader is not for learners."""
        if self.outcome == "error":
            return NOT_GRADED
        return self.message or ("Not run." if self.outcome == "skipped" else "")


@dataclass(frozen=True)
class Failure:
    """Checks that failed for the same reason, and the reason.

    message: of the first visible check among them, which may say more than a hidden one. reason: what they share.
    summary: a sentence that can stand for the titles of many checks, such as "5 checks failed for this reason  0 / 4";
    "" for few.
    """

    checks: tuple[CheckVerdict, ...]
    message: str
    reason: str
    summary: str

    @property
    def status(self) -> Status:
        """Whose mark to show: "error" when it is the grader's own fault."""
        return "error" if any(check.status == "error" for check in self.checks) else "failed"

    @property
    def mismatches(self) -> tuple[Mismatch, ...]:
        """What can be seen of it."""
        return tuple(check.mismatch for check in self.checks if check.mismatch)


@dataclass(frozen=True)
class Brief:
    """What is enough to begin with: the first failure, a check for each other way to fail, how many checks are left."""

    first: Failure
    others: tuple[CheckVerdict, ...]
    more: int

    @property
    def left_out(self) -> str:
        """How many more checks fail, in words; "" for none."""
        return (
            f"... and {counted(self.more, 'more check')} {'fails' if self.more == 1 else 'fail'}." if self.more else ""
        )


@dataclass(frozen=True)
class ExerciseVerdict:
    """One exercise: its checks, also grouped by why they failed, and the known mistakes it was recognised by."""

    id: str
    title: str
    status: Status
    points: float
    max_points: float
    note: str
    probably: tuple[str, ...]
    checks: tuple[CheckVerdict, ...]
    failures: tuple[Failure, ...]
    remark: str

    @property
    def score(self) -> str:
        """Its points: "1.5 / 4"."""
        return _score(self.points, self.max_points)

    @property
    def is_checked(self) -> bool:
        """Whether checks ran; if not, `note` says why."""
        return self.status in CHECKED and bool(self.checks)

    @property
    def brief(self) -> Brief | None:
        """What is enough to begin with; None if nothing failed."""
        if not self.failures:
            return None
        first = self.failures[0]
        ways: dict[str, CheckVerdict] = {}
        for failure in self.failures:
            ways.setdefault(way_of(failure.reason, failure.checks[0].title), failure.checks[0])
        others = [] if self.probably else list(ways.values())[1 : 1 + OTHER_WAYS]
        said = len(first.checks) if first.summary else 1
        failed = sum(len(failure.checks) for failure in self.failures)
        return Brief(first, tuple(others), failed - said - len(others))

    @property
    def passed(self) -> tuple[CheckVerdict, ...]:
        """The checks that passed, or hold so far."""
        return tuple(check for check in self.checks if check.outcome == "passed")

    @property
    def unanswerable(self) -> tuple[CheckVerdict, ...]:
        """The checks that could not run here for a reason, which their message gives."""
        skipped = (check for check in self.checks if check.outcome == "skipped" and self.status in CHECKED)
        return tuple(check for check in skipped if check.message)


@dataclass(frozen=True)
class UnitVerdicts:
    """One unit's title and its exercises in a record."""

    title: str
    exercises: tuple[ExerciseVerdict, ...]

    @property
    def points(self) -> float:
        """Points earned in the unit."""
        return sum(each.points for each in self.exercises)

    @property
    def max_points(self) -> float:
        """Points that the unit's graded exercises are worth."""
        return sum(each.max_points for each in self.exercises)

    @property
    def score(self) -> str:
        """Its points: "6 / 8"."""
        return _score(self.points, self.max_points)


def verdict_on(
    result: ExerciseResult,
    *,
    title: str = "",
    mismatches: Mismatches = NO_MISMATCHES,
    lines: int = MESSAGE_LINES,
    in_cell: bool = False,
) -> ExerciseVerdict:
    """The view of one exercise's result.

    title: the exercise's title; its id by default. mismatches: of visible checks, where they are known.
    lines: the most lines of a message. in_cell: whether the answer is a notebook's cell rather than a file.
    """
    remark = _remark(result)
    checks = tuple(
        verdict_on_check(each, mismatches.get((result.id, each.name)), lines=lines, only_holds=bool(remark))
        for each in result.checks
    )
    return ExerciseVerdict(
        id=safe_line(result.id),
        title=safe_line(title or result.id),
        status=result.status,
        points=result.points,
        max_points=result.max_points,
        note=(_NOTES_ON_CELLS if in_cell else _NOTES).get(result.status, ""),
        probably=tuple(_lines(each.message, lines) for each in result.diagnosis),
        checks=checks,
        failures=_failures(result, checks),
        remark=remark,
    )


def verdicts_on(
    record: Record,
    titles: Mapping[str, str],
    mismatches: Mismatches = NO_MISMATCHES,
    *,
    lines: int = MESSAGE_LINES,
) -> list[ExerciseVerdict]:
    """The views of all exercises of a record, in its order. titles: by the exercises' ids."""
    return [
        verdict_on(each, title=titles.get(each.id, ""), mismatches=mismatches, lines=lines) for each in record.exercises
    ]


def by_unit(verdicts: Sequence[ExerciseVerdict], units: Units) -> list[UnitVerdicts]:
    """The verdicts grouped by unit; those without a unit come last, none is left out."""
    known = {id for _, ids in units for id in ids}
    grouped = [
        UnitVerdicts(safe_line(title), tuple(each for id in ids for each in verdicts if each.id == id))
        for title, ids in units
    ]
    rest = tuple(each for each in verdicts if each.id not in known)
    grouped.append(UnitVerdicts("Other exercises" if units else "Exercises", rest))
    return [unit for unit in grouped if unit.exercises]


def verdict_on_check(
    result: CheckResult, mismatch: Mismatch | None = None, *, lines: int = MESSAGE_LINES, only_holds: bool = False
) -> CheckVerdict:
    """The view of one check's result. only_holds: whether other checks of its exercise did not run."""
    holds = only_holds and result.outcome == "passed"
    waits = result.outcome == "passed" and result.points < result.max_points
    seen = mismatch if result.visible and result.outcome == "failed" else None
    is_seen = seen is not None and ONLY_NUMBERS.search(result.message)
    return CheckVerdict(
        name=safe_line(result.name),
        title=safe_line(result.title or result.name),
        outcome=result.outcome,
        status="partly" if holds else _STATUSES[result.outcome],
        points=result.points,
        max_points=result.max_points,
        message="" if is_seen else _lines(result.message, lines),
        aside="holds" if holds else "counts once the main check passes" if waits else "",
        mismatch=seen,
    )


def _failures(result: ExerciseResult, checks: Sequence[CheckVerdict]) -> tuple[Failure, ...]:
    """In the checks' order, each reason once; a check without a message is a failure by itself."""
    groups: dict[tuple[str, str], list[tuple[CheckResult, CheckVerdict]]] = {}
    for found, check in zip(result.checks, checks, strict=True):
        if check.outcome in ("failed", "error"):
            reason = reason_of(found.message)
            groups.setdefault((reason, "" if reason else found.name), []).append((found, check))
    return tuple(_failure(reason, group) for (reason, _), group in groups.items())


def _failure(reason: str, group: Sequence[tuple[CheckResult, CheckVerdict]]) -> Failure:
    checks = tuple(check for _, check in group)
    telling = next((check for found, check in group if found.visible), checks[0])
    return Failure(checks, telling.message, reason, _summary(checks, telling.message))


def _summary(checks: Sequence[CheckVerdict], message: str) -> str:
    if len(checks) < MANY_CHECKS or not message:
        return ""
    points = _score(sum(check.points for check in checks), sum(check.max_points for check in checks))
    return f"{counted(len(checks), 'check')} failed for this reason  {points}"


def _remark(result: ExerciseResult) -> str:
    """How many checks did not run, and when they will; "" when all ran."""
    skipped = sum(check.outcome == "skipped" for check in result.checks)
    if not skipped or result.status not in CHECKED:
        return ""
    left = counted(skipped, "check")
    if result.status == "partly":
        return f"What could be checked here holds; {left} {'runs' if skipped == 1 else 'run'} when you hand in."
    return f"{left} not run."


def _lines(text: str, most: int) -> str:
    return "\n".join(safe_block(text, most)) if text.strip() else ""


def _score(points: float, max_points: float) -> str:
    return f"{score(points)} / {score(max_points)}"


# --- when two checks failed for the same reason, or at least in the same way, by their messages ----------------------


def reason_of(message: str) -> str:
    """Equal for errors of one type in one line, and for equal messages: those are said once."""
    place = ERROR_PLACE.match(message)
    return place[0] if place else message


def cause_of(message: str) -> str:
    """Equal for learners of a class whose code fails for the same cause: the message's first line, without theirs."""
    return OWN_LINE.sub("", message.strip().partition("\n")[0])


def way_of(message: str, title: str) -> str:
    """Equal for checks that failed in the same way, as with other wrong numbers: of those one is enough to begin with.

    title: of the check, which says why it failed where there is no message.
    """
    if ONLY_NUMBERS.search(message):
        return "wrong numbers"
    if ERROR_PLACE.match(message):
        return reason_of(message)
    return NUMBER.sub("#", message) or title
