"""What a verdict shows, as data: made once from a record, painted by terminal, pages, notebook, pytest and exports.

All text here is safe to show. A painter escapes it for its own format, wraps and colours it, and leaves out what it has
no room for. It takes no text from the record and works nothing out.

The parts of a verdict, in reading order: `note` (why nothing was checked), `probably` (the mistakes named; write
"Probably: " in front of each), `failures`, `passed`, `unanswerable`, `remark` (how many checks did not run). A small
screen has `brief` instead of `failures`. What shows one check at a time (pytest, Gradescope, JUnit) writes
`check.title`, `check.said` and, once, `verdict.probably`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.record import CheckResult, ExerciseResult, Mismatch, Mismatches, Outcome, Record, Status

from .safe_text import safe_block, safe_line
from .wording import CHECKED, MARKS, NOT_GRADED, Units, counted, out_of

MESSAGE_LINES = 30
MANY_CHECKS = 3
"""From this many checks with the same reason on, a painter may show `Failure.summary` instead of their titles."""

OTHER_WAYS = 2
"""How many further ways to fail `Brief` has at most; none where a mistake is named, which explains them."""

NO_MISMATCHES: Mismatches = {}

ERROR_PLACE = re.compile(r"\A[^\n:]{1,80}? in line \d{1,6}\b")
"""The begin of the message of an error: its type and the learner's line. What follows differs with a case's sizes."""
ONLY_NUMBERS = re.compile(r"has the right shape, but|\byours (?:is|are) \[|right elsewhere, is wrong|numbers? is right")
"""Messages that say no more than that numbers are wrong, and which."""
OWN_LINE = re.compile(r" (?:in line \d{1,6}(?:, in `[^`]*`)?(?: \(`.*?`\))?|\(line \d{1,6}\))(?=[:.])")
"""A learner's line in a sentence: its number, and the function and the text that stand there."""
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
    score: its points, such as "0 / 2"; "" while it only holds.
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
    score: str = ""

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
    """

    checks: tuple[CheckVerdict, ...]
    message: str
    reason: str

    @property
    def summary(self) -> str:
        """A sentence that can stand for the titles of many checks; "" for few."""
        if len(self.checks) < MANY_CHECKS or not self.message:
            return ""
        points = out_of(sum(check.points for check in self.checks), sum(check.max_points for check in self.checks))
        return f"{counted(len(self.checks), 'check')} failed for this reason  {points}"

    @property
    def mismatches(self) -> tuple[Mismatch, ...]:
        """What can be seen of these checks."""
        return tuple(check.mismatch for check in self.checks if check.mismatch)


@dataclass(frozen=True)
class Brief:
    """What is enough to begin with: the first failure, a check for each other way to fail, and what that leaves out.

    left_out: how many more checks fail, in words; "" for none.
    """

    first: Failure
    others: tuple[CheckVerdict, ...]
    left_out: str


@dataclass(frozen=True)
class ExerciseVerdict:
    """One exercise: its checks, also grouped by why they failed, and the known mistakes it was recognised by.

    score: its points, such as "1.5 / 4". passed: the checks that passed, or hold so far. unanswerable: those that could
    not run here for a reason, which their message gives. brief: None if nothing failed.
    """

    id: str
    title: str
    status: Status
    points: float
    max_points: float
    score: str
    note: str
    probably: tuple[str, ...]
    checks: tuple[CheckVerdict, ...]
    failures: tuple[Failure, ...]
    brief: Brief | None
    passed: tuple[CheckVerdict, ...]
    unanswerable: tuple[CheckVerdict, ...]
    remark: str

    @property
    def is_checked(self) -> bool:
        """Whether checks ran; if not, `note` says why."""
        return self.status in CHECKED and bool(self.checks)


def verdict_on(
    result: ExerciseResult,
    *,
    title: str = "",
    mismatches: Mismatches = NO_MISMATCHES,
    in_cell: bool = False,
) -> ExerciseVerdict:
    """The view of one exercise's result.

    title: the exercise's title; its id by default. mismatches: of visible checks, where they are known.
    in_cell: whether the answer is a notebook's cell rather than a file.
    """
    was_checked = result.status in CHECKED
    skipped = sum(check.outcome == "skipped" for check in result.checks) if was_checked else 0
    remark = f"{counted(skipped, 'check')} not run." if skipped else ""
    if remark and result.status == "partly":
        run = "runs" if skipped == 1 else "run"
        remark = f"What could be checked here holds; {counted(skipped, 'check')} {run} when you hand in."
    checks = tuple(
        verdict_on_check(each, mismatches.get((result.id, each.name)), only_holds=bool(remark))
        for each in result.checks
    )
    failures = _failures(result, checks)
    return ExerciseVerdict(
        id=safe_line(result.id),
        title=safe_line(title or result.id),
        status=result.status,
        points=result.points,
        max_points=result.max_points,
        score=out_of(result.points, result.max_points),
        note=(_NOTES_ON_CELLS if in_cell else _NOTES).get(result.status, ""),
        probably=tuple(_lines(each.message) for each in result.diagnosis),
        checks=checks,
        failures=failures,
        brief=_brief(failures, is_named=bool(result.diagnosis)) if failures else None,
        passed=tuple(check for check in checks if check.outcome == "passed"),
        unanswerable=tuple(each for each in checks if each.outcome == "skipped" and each.message and was_checked),
        remark=remark,
    )


def verdicts_on(
    record: Record,
    titles: Mapping[str, str],
    mismatches: Mismatches = NO_MISMATCHES,
) -> list[ExerciseVerdict]:
    """The views of all exercises of a record, in its order. titles: by the exercises' ids."""
    return [verdict_on(each, title=titles.get(each.id, ""), mismatches=mismatches) for each in record.exercises]


def by_unit(verdicts: Sequence[ExerciseVerdict], units: Units) -> list[tuple[str, list[ExerciseVerdict]]]:
    """Each unit's title and its verdicts; those without a unit come last, none is left out."""
    known = {id for _, ids in units for id in ids}
    named = [(safe_line(title), [each for id in ids for each in verdicts if each.id == id]) for title, ids in units]
    named.append(("Other exercises" if units else "Exercises", [each for each in verdicts if each.id not in known]))
    return [(title, some) for title, some in named if some]


def verdict_on_check(
    result: CheckResult, mismatch: Mismatch | None = None, *, only_holds: bool = False
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
        score="" if holds else out_of(result.points, result.max_points),
        message="" if is_seen else _lines(result.message),
        aside="holds" if holds else "counts once the main check passes" if waits else "",
        mismatch=seen,
    )


def _failures(result: ExerciseResult, checks: Sequence[CheckVerdict]) -> tuple[Failure, ...]:
    """In the checks' order, each reason once; a check without a message is a failure by itself."""
    groups: dict[tuple[str, str], list[tuple[CheckResult, CheckVerdict]]] = defaultdict(list)
    for found, check in zip(result.checks, checks, strict=True):
        if check.outcome in ("failed", "error"):
            reason = reason_of(found.message)
            groups[reason, "" if reason else found.name].append((found, check))
    return tuple(
        Failure(
            checks=tuple(check for _, check in group),
            message=next((check for found, check in group if found.visible), group[0][1]).message,
            reason=reason,
        )
        for (reason, _), group in groups.items()
    )


def _brief(failures: Sequence[Failure], *, is_named: bool) -> Brief:
    """is_named: whether a mistake is named, which explains the other ways to fail."""
    first = failures[0]
    ways: dict[str, CheckVerdict] = {}
    for failure in failures:
        ways.setdefault(way_of(failure.reason, failure.checks[0].title), failure.checks[0])
    others = () if is_named else tuple(ways.values())[1 : 1 + OTHER_WAYS]
    said = len(first.checks) if first.summary else 1
    more = sum(len(failure.checks) for failure in failures) - said - len(others)
    fail = "fails" if more == 1 else "fail"
    return Brief(first, others, f"... and {counted(more, 'more check')} {fail}." if more else "")


def _lines(text: str) -> str:
    return "\n".join(safe_block(text, MESSAGE_LINES)) if text.strip() else ""


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
