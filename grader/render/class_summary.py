"""A class, summed up record by record: a row a learner, counts an exercise, and what to say to the class.

`class_table` and the template `class.html.j2` only paint it. No record is kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Literal, NamedTuple

from grader.record import POINTS_TOLERANCE, CourseStamp, ExerciseResult, Isolation, Record, Status

from .safe_text import safe_line
from .verdict import cause_of, reason_of
from .wording import Units, counted, score, share

NAME_LIMIT = 60
NAMELESS = "(no name)"  # a folder's name may be a blank
REASON_LIMIT = 200

TOPICS = 3
SHARED_BY = 2
"""Unexplained failures are reported if at least this many learners share them: a single learner's page says more."""
FEW_PASS = 0.1
ENOUGH_TRIED = 5
"""An exercise may be unfair if at least this many tried, and at most the share FEW_PASS of these passed."""
BINS = 10


@dataclass(frozen=True)
class LearnerRow:
    """One learner's row; text is safe to show.

    number: its place among the submissions, from 1 on. aside: the submission's name where the learner's is shown.
    unreadable: why nothing could be read. graded_points: the points before the course's policy.
    note: with whom it was handed in, how much does not count, whether it was late or set by hand.
    """

    number: int
    name: str
    aside: str
    link: str | None
    points: float
    max_points: float
    statuses: Mapping[str, Status]
    problems: int
    is_complete: bool
    unreadable: str
    graded_points: float
    note: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.unreadable})" if self.unreadable else self.name

    def count(self, *statuses: Status) -> int:
        """How many exercises have one of these statuses."""
        return sum(status in statuses for status in self.statuses.values())

    @property
    def is_mark(self) -> bool:
        """Whether the points are a mark: everything was graded, and something could be read."""
        return self.is_complete and not self.unreadable

    @property
    def has_begun(self) -> bool:
        """Whether anything beyond the stubs was handed in."""
        return self.count("passed", "failed", "error") > 0


Kind = Literal["missed", "unexplained", "stuck", "mistake"]
"""What learners share: a check that they fail; the same without a known mistake in the exercise; one reason for which
every check failed; a known mistake."""


@dataclass
class ExerciseTally:
    """One exercise across the class. shared: learners by what they share, its name and its text."""

    id: str
    title: str
    unit: str
    counts: Counter[Status] = field(default_factory=Counter)
    shared: dict[tuple[Kind, str, str], list[LearnerRow]] = field(default_factory=lambda: defaultdict(list))

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

    def topics(self, kind: Kind) -> list[Topic]:
        """What learners share of a kind, what most do first."""
        found = [Topic(self, text, rows) for (each, _, text), rows in self.shared.items() if each == kind]
        return sorted(found, key=len, reverse=True)

    @property
    def most_missed(self) -> Topic | None:
        """The check that most learners fail; None when no check failed."""
        return next(iter(self.topics("missed")), None)

    @property
    def about_stuck(self) -> str:
        """How many failed every check for one reason, and the most frequent of these; empty when nobody did."""
        if not (stuck := self.topics("stuck")):
            return ""
        others = sum(map(len, stuck[1:]))
        more = f" {others} more did for other reasons." if others else ""
        return f"{len(stuck[0])} {stuck[0].message}{more}"

    @property
    def may_be_unfair(self) -> bool:
        """Whether so few pass that the exercise, its lesson or its checks may be at fault rather than the class."""
        return self.tried >= ENOUGH_TRIED and self.passed <= FEW_PASS * self.tried


@dataclass(frozen=True)
class Topic:
    """What several learners share in an exercise, in words."""

    exercise: ExerciseTally
    message: str
    learners: Sequence[LearnerRow]

    @property
    def how_many(self) -> str:
        """How many learners share it, of how many who tried."""
        tried = self.exercise.tried
        return f"{len(self)} of the {tried} learners who tried" if tried > 1 else "the one learner who tried"

    def __len__(self) -> int:
        """How many learners share it."""
        return len(self.learners)


def _shared(exercise: ExerciseResult) -> Iterator[tuple[Kind, str, str]]:
    """What a result may share with others': kind, name and text."""
    failed = [check for check in exercise.checks if check.outcome in ("failed", "error")]
    reasons = {reason_of(check.message) for check in failed}
    is_stuck = len(failed) > 1 and len(reasons) == 1 and any(map(str.strip, reasons))
    if exercise.status not in ("passed", "failed"):
        return
    if is_stuck and not exercise.diagnosis and all(check.outcome != "passed" for check in exercise.checks):
        yield "stuck", "", f"failed every check. {cause_of(exercise.checks[0].message)}"
        return
    for check in failed:
        yield "missed", check.name, check.title or check.name
        if not exercise.diagnosis:
            yield "unexplained", check.name, f"miss “{check.title or check.name}” Read a few of their answers."
    for each in exercise.diagnosis:
        yield "mistake", each.mistake, each.message


class Unmarked(NamedTuple):
    """Learners without a mark, and why. status: whose sign to show. people: names of those who have no row."""

    status: Status
    what: str
    remark: str
    people: Sequence[LearnerRow | str]


@dataclass(frozen=True)
class Distribution:
    """The points of learners whose points are a mark, counted in BINS bins of equal width.

    bins: from these points on, below these, and how many learners; extra points are in the last one. unit: points, or
    percent of the points where learners' maxima differ. worth: the maximum. learners: how many have a mark.
    """

    bins: tuple[tuple[float, float, int], ...]
    unit: str
    worth: float
    mean: float
    median: float
    learners: int


@dataclass
class ClassSummary:
    """The summary of a class.

    titles: {exercise id: title}. units: each unit's title with its exercise ids, in course order. absent: learners of
    the roster who handed in nothing and so have neither record nor mark. unmatched: submissions of which nobody knows
    whose they are. is_adjusted: whether the course's policy changed any learner's points.
    """

    titles: Mapping[str, str]
    units: Units
    rows: list[LearnerRow] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    course: CourseStamp | None = None
    isolations: set[Isolation] = field(default_factory=set)
    has_extra_credit: bool = False
    is_adjusted: bool = False
    tallies: dict[str, ExerciseTally] = field(default_factory=dict)

    def add(self, record: Record, *, shown: str = "", link: str | None = None, group: str = "") -> None:
        """Count one learner's final record.

        shown: the learner's name for people, where it is not the submission's. link: the learner's own page, as a path
        relative to the class page. group: with which group it was handed in.
        """
        self.course = self.course or record.course
        self.isolations.add(record.isolation)
        self.has_extra_credit |= any(each.kind == "extra credit" for each in record.adjustments or ())
        self.is_adjusted |= abs(record.counted_points - record.points) > POINTS_TOLERANCE
        submission = safe_line(record.submission, NAME_LIMIT) or NAMELESS
        name = safe_line(shown, NAME_LIMIT) or submission
        notes = [f"group {safe_line(group, NAME_LIMIT)}"] if group else []
        if uncounted := sum(each.uncounted for each in record.exercises):
            notes.append(f"{counted(uncounted, 'exercise')} not counted")
        changes = (each.kind for each in record.adjustments or () if each.points)
        notes += [kind for kind in dict.fromkeys(changes) if kind in ("late", "set by hand")]
        row = LearnerRow(
            number=len(self.rows) + 1,
            name=name,
            aside=submission if submission != name else "",
            link=link,
            points=record.counted_points,
            max_points=record.counted_max_points,
            statuses={exercise.id: exercise.status for exercise in record.exercises},
            problems=len(record.not_taken),
            is_complete=record.complete,
            unreadable=safe_line(record.why_unreadable, REASON_LIMIT),
            graded_points=record.points,
            note=", ".join(notes),
        )
        self.rows.append(row)
        for exercise in record.exercises:
            if exercise.id not in self.tallies:
                unit = next((title for title, ids in self.units if exercise.id in ids), "Other exercises")
                title = self.titles.get(exercise.id, exercise.id)
                self.tallies[exercise.id] = ExerciseTally(exercise.id, title, unit)
            tally = self.tallies[exercise.id]
            tally.counts[exercise.status] += 1
            for shared in dict.fromkeys(_shared(exercise)):
                tally.shared[shared].append(row)

    # --- what it comes to ---------------------------------------------------------------------------------------------

    @property
    def left_out(self) -> list[Unmarked]:
        """Those without a mark, by the reason for it."""
        cut_short = [row for row in self.rows if not row.is_complete]
        unreadable = [row for row in self.rows if row.unreadable]
        absent, unmatched = ([safe_line(each, NAME_LIMIT) for each in some] for some in (self.absent, self.unmatched))
        no_zero = "That is no zero: they are left out of the averages and the chart. Grade them again."
        until = "They count for nobody until their learners are filled into unmatched.csv."
        reasons = [
            Unmarked("error", "Not fully graded, by the grader's own fault", no_zero, cut_short),
            Unmarked("failed", "Could not be read", "Left out of the averages and the chart.", unreadable),
            Unmarked("missing", "On the roster, but handed in nothing", "They have no record and no mark.", absent),
            Unmarked("failed", "Submissions of which nobody knows whose they are", until, unmatched),
        ]
        return [each for each in reasons if each.people]

    @property
    def exercises(self) -> list[ExerciseTally]:
        """The exercises in course order; those that are not in the course come last."""
        places = {id: place for place, id in enumerate(self.titles)}
        return sorted(self.tallies.values(), key=lambda tally: places.get(tally.id, len(places)))

    @property
    def misconceptions(self) -> list[Topic]:
        """The known mistakes made, the most frequent first, equals in course order."""
        return sorted((each for tally in self.exercises for each in tally.topics("mistake")), key=len, reverse=True)

    @property
    def topics(self) -> list[Topic]:
        """What to explain next: the known mistakes that most learners made."""
        return self.misconceptions[:TOPICS]

    @property
    def unexplained(self) -> list[Topic]:
        """Failures that most learners share and no known mistake explains, except in exercises that may be unfair."""
        fair = [tally for tally in self.exercises if not tally.may_be_unfair]
        found = [each for tally in fair for each in (*tally.topics("unexplained")[:1], *tally.topics("stuck"))]
        shared = [topic for topic in found if len(topic) >= SHARED_BY]
        return sorted(shared, key=len, reverse=True)[:TOPICS]

    @property
    def most_missed(self) -> Topic | None:
        """The check that most learners fail; None when no check failed."""
        missed = (topic for tally in self.exercises for topic in tally.topics("missed"))
        return max(missed, key=len, default=None)

    @property
    def distribution(self) -> Distribution | None:
        """The spread of points; None when no learner's points are a mark, or there are no points to earn."""
        marked = [row for row in self.rows if row.is_mark and row.max_points > 0]
        if not marked:
            return None
        is_common = len({row.max_points for row in marked}) == 1
        worth = marked[0].max_points if is_common else 100.0
        values = [worth * row.points / row.max_points for row in marked]  # above the maximum with extra credit
        # 0.7 of the points belongs to the bin that begins there, despite floating-point rounding
        places = Counter(min(int(share(value, worth) * BINS + 1e-9), BINS - 1) for value in values)
        edges = [worth * step / BINS for step in range(BINS + 1)]
        bins = tuple((edges[place], edges[place + 1], places[place]) for place in range(BINS))
        unit = "points" if is_common else "percent of the points"
        return Distribution(bins, unit, worth, mean(values), median(values), len(marked))

    @property
    def averages(self) -> str:
        """Mean and median in one sentence, and over how many submissions."""
        spread = self.distribution
        if spread is None:
            return "No averages." if self.rows else "No submissions."
        of = f" of {score(spread.worth)} points" if spread.unit == "points" else f" {spread.unit}"
        of += " and extra credit" if self.has_extra_credit else ""
        all_of = f" of {len(self.rows)}" if spread.learners < len(self.rows) else ""
        over = f"over {spread.learners}{all_of} submission{'s' * (len(self.rows) > 1)}"
        return f"Mean {score(spread.mean)}, median {score(spread.median)}{of}, {over}."
