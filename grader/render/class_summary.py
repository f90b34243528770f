"""A class, summed up record by record: a row a learner, counts an exercise, and what to say to the class.

`class_table` and the template `class.html.j2` only paint it. No record is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median

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
CHANGES = ("late", "set by hand")
"""Kinds of adjustments that change a learner's points while others keep theirs."""

NO_AVERAGE = "Left out of the averages and the chart."
NO_ZERO = "That is no zero: they are left out of the averages and the chart. Grade them again."
UNTIL_KNOWN = "They count for nobody until their learners are filled into unmatched.csv."


@dataclass(frozen=True)
class LearnerRow:
    """One learner's row; text is safe to show.

    number: its place among the submissions, from 1 on. aside: the submission's name where the learner's is shown.
    unreadable: why nothing could be read. graded_points: the points before the course's policy.
    note: with whom it was handed in, and how much does not count. changes: what changed the points, such as "late".
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
    changes: tuple[str, ...] = ()

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


@dataclass
class ExerciseTally:
    """One exercise across the class.

    missed: how many learners fail a check, by its name and title; unexplained: those of them without a known mistake in
    the exercise. stuck: learners for whom every check failed for the same reason, by that. misconceptions: by the
    mistake and its message.
    """

    id: str
    title: str
    unit: str
    counts: Counter[Status] = field(default_factory=Counter)
    missed: Counter[tuple[str, str]] = field(default_factory=Counter)
    unexplained: dict[tuple[str, str], list[LearnerRow]] = field(default_factory=dict)
    stuck: dict[str, list[LearnerRow]] = field(default_factory=dict)
    misconceptions: dict[tuple[str, str], list[LearnerRow]] = field(default_factory=dict)

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
    def most_missed(self) -> tuple[str, int] | None:
        """The title of the check that most learners fail, and how many; None when no check failed."""
        return next(((title, count) for (_, title), count in self.missed.most_common(1)), None)

    @property
    def about_stuck(self) -> str:
        """How many failed every check for one reason, and the most frequent of these; empty when nobody did."""
        if not self.stuck:
            return ""
        cause, learners = max(self.stuck.items(), key=lambda item: len(item[1]))
        others = sum(map(len, self.stuck.values())) - len(learners)
        more = f" {others} more did for other reasons." if others else ""
        return f"{len(learners)} failed every check. {cause}{more}"

    @property
    def may_be_unfair(self) -> bool:
        """Whether so few pass that the exercise, its lesson or its checks may be at fault rather than the class."""
        return self.tried >= ENOUGH_TRIED and self.passed <= FEW_PASS * self.tried


@dataclass(frozen=True)
class Topic:
    """What several learners share in an exercise: a known mistake, or a failure that none explains."""

    exercise: ExerciseTally
    message: str
    learners: list[LearnerRow]

    @property
    def how_many(self) -> str:
        """How many learners share it, of how many who tried."""
        tried = self.exercise.tried
        return f"{len(self.learners)} of the {tried} learners who tried" if tried > 1 else "the one learner who tried"


@dataclass(frozen=True)
class Unmarked:
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


class ClassSummary:
    """The summary of a class.

    titles: {exercise id: title}. units: each unit's title with its exercise ids, in course order.
    """

    def __init__(self, titles: Mapping[str, str], units: Units) -> None:
        self._titles = titles
        self._units = {id: unit for unit, ids in units for id in ids}
        self._tallies: dict[str, ExerciseTally] = {}
        self.rows: list[LearnerRow] = []
        self.absent: list[str] = []
        self.unmatched: list[str] = []
        self.course: CourseStamp | None = None
        self.isolations: set[Isolation] = set()
        self.has_extra_credit = False
        self.is_adjusted = False
        """Whether the course's policy changed any learner's points."""

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
        uncounted = sum(each.uncounted for each in record.exercises)
        notes = [f"group {safe_line(group, NAME_LIMIT)}"] if group else []
        notes += [f"{counted(uncounted, 'exercise')} not counted"] if uncounted else []
        changes = (each.kind for each in record.adjustments or () if each.kind in CHANGES and each.points)
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
            changes=tuple(dict.fromkeys(changes)),
        )
        self.rows.append(row)
        for exercise in record.exercises:
            self._count(exercise, row)

    def add_absent(self, shown: str) -> None:
        """Count a learner of the roster who handed in nothing and so has neither record nor mark."""
        self.absent.append(safe_line(shown, NAME_LIMIT))

    def add_unmatched(self, entry: str) -> None:
        """Count a submission of which nobody knows whose it is."""
        self.unmatched.append(safe_line(entry, NAME_LIMIT))

    def _count(self, exercise: ExerciseResult, row: LearnerRow) -> None:
        title, unit = self._titles.get(exercise.id, exercise.id), self._units.get(exercise.id, "Other exercises")
        tally = self._tallies.setdefault(exercise.id, ExerciseTally(exercise.id, title, unit))
        tally.counts[exercise.status] += 1
        if exercise.status == "failed" and not exercise.diagnosis and _is_stuck(exercise):
            tally.stuck.setdefault(cause_of(exercise.checks[0].message), []).append(row)
        elif exercise.status in ("passed", "failed"):
            for check in exercise.checks:
                if check.outcome == "failed":
                    named = check.name, check.title or check.name
                    tally.missed[named] += 1
                    if not exercise.diagnosis:
                        tally.unexplained.setdefault(named, []).append(row)
        for key in dict.fromkeys((each.mistake, each.message) for each in exercise.diagnosis):
            tally.misconceptions.setdefault(key, []).append(row)

    # --- what it comes to ---------------------------------------------------------------------------------------------

    @property
    def is_empty(self) -> bool:
        """Whether there is nobody to tell of."""
        return not (self.rows or self.absent or self.unmatched)

    @property
    def left_out(self) -> list[Unmarked]:
        """Those without a mark, by the reason for it."""
        cut_short = [row for row in self.rows if not row.is_complete]
        unreadable = [row for row in self.rows if row.unreadable]
        no_record = "They have no record and no mark."
        reasons = [
            Unmarked("error", "Not fully graded, by the grader's own fault", NO_ZERO, cut_short),
            Unmarked("failed", "Could not be read", NO_AVERAGE, unreadable),
            Unmarked("missing", "On the roster, but handed in nothing", no_record, self.absent),
            Unmarked("failed", "Submissions of which nobody knows whose they are", UNTIL_KNOWN, self.unmatched),
        ]
        return [each for each in reasons if each.people]

    @property
    def exercises(self) -> list[ExerciseTally]:
        """The exercises in course order; those that are not in the course come last."""
        places = {id: place for place, id in enumerate(dict.fromkeys((*self._units, *self._titles)))}
        return sorted(self._tallies.values(), key=lambda tally: places.get(tally.id, len(places)))

    @property
    def misconceptions(self) -> list[Topic]:
        """The known mistakes made, the most frequent first, equals in course order."""
        made = (
            Topic(tally, message, learners)
            for tally in self.exercises
            for (_, message), learners in tally.misconceptions.items()
        )
        return sorted(made, key=lambda topic: -len(topic.learners))

    @property
    def topics(self) -> list[Topic]:
        """What to explain next: the known mistakes that most learners made."""
        return self.misconceptions[:TOPICS]

    @property
    def unexplained(self) -> list[Topic]:
        """Failures that most learners share and no known mistake explains, except in exercises that may be unfair."""
        found = (topic for tally in self.exercises if not tally.may_be_unfair for topic in _unexplained(tally))
        shared = (topic for topic in found if len(topic.learners) >= SHARED_BY)
        return sorted(shared, key=lambda topic: -len(topic.learners))[:TOPICS]

    @property
    def doubtful(self) -> list[ExerciseTally]:
        """The exercises that almost no learner passes, in course order."""
        return [tally for tally in self.exercises if tally.may_be_unfair]

    @property
    def most_missed(self) -> ExerciseTally | None:
        """The exercise with the check that most learners fail; None when no check failed."""
        missed = [tally for tally in self.exercises if tally.missed]
        return max(missed, key=lambda tally: max(tally.missed.values()), default=None)

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
        """Mean and median in one sentence, and who was left out of them."""
        reasons = {
            "not fully graded": sum(not row.is_complete for row in self.rows),
            "that could not be read": sum(bool(row.unreadable) for row in self.rows),
        }
        left_out = " and ".join(f"{counted(count, 'submission')} {why}" for why, count in reasons.items() if count)
        aside = f"; left out: {left_out}" if left_out else ""
        spread = self.distribution
        if spread is None:
            return f"No averages{aside}." if aside else "No submissions."
        of = f" of {score(spread.worth)} points" if spread.unit == "points" else f" {spread.unit}"
        of += " and extra credit" if self.has_extra_credit else ""
        return (
            f"Mean {score(spread.mean)}, median {score(spread.median)}{of}, "
            f"over {counted(spread.learners, 'submission')}{aside}."
        )


def _is_stuck(exercise: ExerciseResult) -> bool:
    """Whether no check passed, and all that failed did so for the same reason."""
    reasons = [reason_of(check.message) for check in exercise.checks if check.outcome in ("failed", "error")]
    passed = any(check.outcome == "passed" for check in exercise.checks)
    return not passed and len(reasons) > 1 and len(set(reasons)) == 1 and bool(reasons[0].strip())


def _unexplained(tally: ExerciseTally) -> Iterator[Topic]:
    if tally.unexplained:
        (_, title), learners = max(tally.unexplained.items(), key=lambda item: len(item[1]))
        yield Topic(tally, f"miss “{title}” Read a few of their answers.", learners)
    for cause, learners in tally.stuck.items():
        yield Topic(tally, f"fail every check. {cause}", learners)
