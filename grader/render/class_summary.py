"""Summarises a class record by record: a row a learner, counts an exercise, and no record kept in memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.record import CourseStamp, ExerciseResult, Isolation, Record, Status

from .safe_text import safe_line
from .wording import Units, counted, findings, which_attempt

NAME_LIMIT = 60
NAMELESS = "(no name)"  # a folder's name may be a blank
REASON_LIMIT = 200

_LETTERS: Mapping[Status, str] = {"passed": "p", "failed": "f", "not_started": "n", "missing": "m", "error": "e"}
_STATUSES = {letter: status for status, letter in _LETTERS.items()}
_ABSENT = "-"


@dataclass(frozen=True, slots=True)
class LearnerRow:
    """One learner's row. Text is safe to show; `marks` has one letter an exercise, in the summary's internal order."""

    number: int
    name: str
    aside: str
    link: str | None
    points: float
    max_points: float
    marks: str
    problems: int
    is_complete: bool
    unreadable: str
    graded_points: float | None = None
    """The points before the course's policy, if it changed them."""
    attempt: str = ""
    """Which of several attempts it is, in words."""
    note: str = ""
    """With whom it was handed in, and how much does not count, in words."""

    def count(self, *statuses: Status) -> int:
        """How many exercises have one of these statuses."""
        return sum(self.marks.count(_LETTERS[status]) for status in statuses)

    @property
    def is_mark(self) -> bool:
        """Whether the points are a mark: everything was graded, and something could be read."""
        return self.is_complete and not self.unreadable

    @property
    def has_begun(self) -> bool:
        """Whether anything beyond the stubs was handed in."""
        return self.count("passed", "failed", "error") > 0


@dataclass
class CheckTally:
    """One check across the class. `unexplained`: learners who fail it without a known mistake in the exercise."""

    title: str
    missed: int = 0
    unexplained: array[int] = field(default_factory=lambda: array("I"))


@dataclass
class ExerciseTally:
    """One exercise across the class. `stuck`: learners for whom every check failed for the same reason."""

    id: str
    title: str
    unit: str
    counts: Counter[Status] = field(default_factory=Counter)
    checks: dict[str, CheckTally] = field(default_factory=dict)
    stuck: array[int] = field(default_factory=lambda: array("I"))

    @property
    def passed(self) -> int:
        """How many learners passed it."""
        return self.counts["passed"]

    @property
    def tried(self) -> int:
        """How many learners have a verdict: passed or failed."""
        return self.counts["passed"] + self.counts["failed"]

    @property
    def pass_rate(self) -> float | None:
        """The share of those who tried that passed; None if there are none."""
        return self.passed / self.tried if self.tried else None

    @property
    def most_missed(self) -> CheckTally | None:
        """The check that most learners fail, the first of equals; None when no check failed."""
        missed = max(self.checks.values(), key=lambda check: check.missed, default=None)
        return missed if missed and missed.missed else None


@dataclass(frozen=True)
class Misconception:
    """A known mistake, and the numbers of the learners who made it in this exercise."""

    exercise: ExerciseTally
    message: str
    learners: array[int] = field(default_factory=lambda: array("I"))


class ClassSummary:
    """The summary of a class. Memory grows by a few hundred bytes a learner.

    titles: {exercise id: title}. units: each unit's title with its exercise ids, in course order.
    """

    def __init__(self, titles: Mapping[str, str], units: Units) -> None:
        self._titles = titles
        self._units = {id: unit for unit, ids in units for id in ids}
        self._tallies: dict[str, ExerciseTally] = {}
        self._misconceptions: dict[tuple[str, str, str], Misconception] = {}
        self.rows: list[LearnerRow] = []
        self.absent: list[str] = []
        self.disputed: list[str] = []
        self.course: CourseStamp | None = None
        self.isolations: set[Isolation] = set()

    def add(self, record: Record, *, shown: str = "", link: str | None = None, group: str = "") -> None:
        """Count one learner's final record.

        shown: the learner's name for people, where it is not the submission's. link: the learner's own page, as a path
        relative to the class page. group: with which group it was handed in.
        """
        self.course = self.course or record.course
        self.isolations.add(record.isolation)
        number = len(self.rows) + 1
        statuses = {}
        for exercise in record.exercises:
            statuses[exercise.id] = _LETTERS[exercise.status]
            self._count(exercise, number)
        submission = safe_line(record.submission, NAME_LIMIT) or NAMELESS
        name = safe_line(shown, NAME_LIMIT) or submission
        self.rows.append(
            LearnerRow(
                number=number,
                name=name,
                aside=submission if submission != name else "",
                link=link,
                points=record.counted_points,
                max_points=record.counted_max_points,
                marks="".join(statuses.get(id, _ABSENT) for id in self._tallies),
                problems=len(record.not_taken),
                is_complete=record.complete,
                unreadable=_why_unreadable(record),
                graded_points=record.points if record.adjustments else None,
                attempt=which_attempt(record),
                note=_note(record, group),
            )
        )

    def add_absent(self, shown: str) -> None:
        """Count a learner of the roster who handed in nothing and so has neither record nor mark."""
        self.absent.append(safe_line(shown, NAME_LIMIT))

    def add_disputed(self, shown: str) -> None:
        """Count a learner whom several submissions claim: none of them counts, so there is no mark."""
        self.disputed.append(safe_line(shown, NAME_LIMIT))

    @property
    def is_adjusted(self) -> bool:
        """Whether the course's policy changed any learner's points."""
        return any(row.graded_points is not None for row in self.rows)

    @property
    def exercises(self) -> list[ExerciseTally]:
        """The exercises in course order; those that are not in the course come last."""
        places = {id: place for place, id in enumerate(dict.fromkeys((*self._units, *self._titles)))}
        return sorted(self._tallies.values(), key=lambda tally: places.get(tally.id, len(places)))

    @property
    def misconceptions(self) -> list[Misconception]:
        """The known mistakes made, the most frequent first, equals in course order."""
        places = {tally.id: place for place, tally in enumerate(self.exercises)}
        return sorted(self._misconceptions.values(), key=lambda each: (-len(each.learners), places[each.exercise.id]))

    def statuses(self, row: LearnerRow) -> list[Status | None]:
        """A learner's statuses in the order of `exercises`; None for an exercise that is not in the record."""
        letters = dict(zip(self._tallies, row.marks, strict=False))
        return [_STATUSES.get(letters.get(tally.id, _ABSENT)) for tally in self.exercises]

    def those(self, numbers: Sequence[int]) -> list[LearnerRow]:
        """The learners with these numbers."""
        return [self.rows[number - 1] for number in numbers]

    def _count(self, exercise: ExerciseResult, number: int) -> None:
        tally = self._tallies.get(exercise.id)
        if tally is None:
            unit = self._units.get(exercise.id, "Other exercises")
            tally = ExerciseTally(exercise.id, self._titles.get(exercise.id, exercise.id), unit)
            self._tallies[exercise.id] = tally
        tally.counts[exercise.status] += 1
        if exercise.status == "failed" and not exercise.diagnosis and _is_stuck(exercise):
            tally.stuck.append(number)
        elif exercise.status in ("passed", "failed"):
            _count_missed(exercise, tally, number)
        for diagnosis in exercise.diagnosis:
            key = exercise.id, diagnosis.mistake, diagnosis.message
            made = self._misconceptions.setdefault(key, Misconception(tally, diagnosis.message))
            if not made.learners or made.learners[-1] != number:
                made.learners.append(number)


def _count_missed(exercise: ExerciseResult, tally: ExerciseTally, number: int) -> None:
    for check in exercise.checks:
        if check.outcome == "failed":
            counted = tally.checks.setdefault(check.name, CheckTally(check.title or check.name))
            counted.missed += 1
            if not exercise.diagnosis:
                counted.unexplained.append(number)


def _is_stuck(exercise: ExerciseResult) -> bool:
    """Whether no check passed, and all that failed did so for the same reason."""
    if any(check.outcome == "passed" for check in exercise.checks):
        return False
    found = findings(exercise)
    return len(found) == 1 and len(found[0].checks) > 1 and bool(found[0].message.strip())


def _note(record: Record, group: str) -> str:
    """With whom it was handed in, and how many exercises do not count."""
    uncounted = sum(each.uncounted for each in record.exercises)
    less = f"{counted(uncounted, 'exercise')} not counted" if uncounted else ""
    return ", ".join(filter(None, [f"group {safe_line(group, NAME_LIMIT)}" if group else "", less]))


def _why_unreadable(record: Record) -> str:
    """Why nothing in a submission could be read; "" if something could."""
    if any(exercise.status != "missing" for exercise in record.exercises):
        return ""
    reasons = (problem.message for problem in record.problems if problem.kind == "unreadable")
    return next((safe_line(reason, REASON_LIMIT) or "unreadable" for reason in reasons), "")
