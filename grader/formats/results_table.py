"""One table of results, which every format writes: a row a learner, a column a unit, an exercise or the whole course.

The roster with which the class was graded says what learners are called: an import wants an id where it came from.
A class is never in memory as a whole: its records are read again for each pass over the rows. Where the grader itself
failed there is no mark, and never a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from grader.classroom.results import ClassResults, Result
from grader.classroom.roster import Learner
from grader.classroom.store import reading
from grader.course import Course, Unit
from grader.errors import KataError
from grader.record import ExerciseResult, Record, totals


def shown_name(person: Learner) -> str:
    """The name for people, or what else there is."""
    return person.name if person.name != person.id else person.email or person.login or person.name


By = Literal["learner", "unit", "exercise"]
BY: tuple[By, ...] = get_args(By)


@dataclass(frozen=True)
class ExportOptions:
    """What to export and how, the same for every format; each reads what it needs."""

    course: Course
    by: By = "learner"
    units: Sequence[Unit] = ()
    """The only units to export; none for everything that was graded."""
    column: str = ""
    """The name of the only column in a platform's gradebook, as an assignment there is called."""
    say: Callable[[str], None] = print
    """Receives a sentence for the user."""


def mark_of(graded: Record | ExerciseResult) -> float | None:
    """The points that count; None if something could not be graded or an exercise does not count for this learner."""
    if isinstance(graded, Record):
        return graded.counted_points if graded.complete else None
    return None if graded.status == "error" or graded.uncounted else graded.counted_points


@dataclass(frozen=True)
class TableColumn:
    """The exercises whose points stand in one column."""

    title: str
    max_points: float
    exercises: tuple[str, ...] | None = None
    """None for all that a record has."""

    def points(self, record: Record) -> float | None:
        """The points; None if something was not graded or not chosen, or if nothing of it counts for this learner.

        If a part does not count, the rest is scaled to the full maximum: a column has only one.
        """
        there = self._in(record)
        counting = [each for each in there if not each.uncounted]
        needed = there if self.exercises is None else counting
        is_whole = self.exercises is None or len(there) == len(self.exercises)
        if not counting or not is_whole or any(each.status == "error" for each in needed):
            return None
        points = sum(each.counted_points for each in counting)
        worth = sum(each.counted_max_points for each in counting)
        if len(counting) < len(there) and worth:
            points *= self.max_points / worth
        return round(points, 6)

    def is_excused(self, record: Record) -> bool:
        """Whether nothing of it counts for this learner."""
        there = self._in(record)
        return bool(there) and all(each.uncounted for each in there)

    def _in(self, record: Record) -> list[ExerciseResult]:
        return [each for each in record.exercises if self.exercises is None or each.id in self.exercises]


@contextmanager
def results_table(path: Path, options: ExportOptions) -> Iterator[ResultsTable]:
    """The table of a class that `kata grade-class` graded (a folder), or of one record of `kata grade --json` (a file).

    Raises KataError when there is none, or it cannot be read.
    """
    if path.is_file():
        try:
            record = Record.from_json(path.read_bytes())
        except KataError as error:
            raise KataError(f"{path}: {error}") from None
        learner = Learner(record.submission, record.submission, in_roster=False)
        yield ResultsTable([Result(record, learner)], path.parent, options)
        return
    with reading(path) as store:
        yield ResultsTable(ClassResults(store, options.course), path, options)


class ResultsTable:
    """Results as a table. Raises KataError when there is nobody in it.

    graded_at: when the last run began, in UTC; now, for a record of its own, which holds no time.
    learners: those with a record. absent: those who handed in nothing: they have no points; everyone: both.
    The names of three more: waiting, not graded yet, because the run was stopped; unmatched, submissions that are
    nobody's; without_mark, with an exercise that could not be graded, through a fault of the grader.
    is_adjusted: whether anybody's points are not the graded ones, by a policy.
    worth: what each exercise that counts for anybody adds to the maximum, in order; 0 for extra credit.
    not_handed_in: the exercises that nobody has handed in. has_roster: whether the class was graded with a roster.
    """

    def __init__(self, results: ClassResults | Sequence[Result], folder: Path, options: ExportOptions) -> None:
        self.options, self.folder, self._results = options, folder, results
        self.titles = options.course.titles
        self.is_class = isinstance(results, ClassResults)
        self.absent: list[Learner] = []
        self.waiting: list[str] = []
        self.unmatched: list[str] = []
        self.graded_at = datetime.now(timezone.utc)
        if isinstance(results, ClassResults):
            self.absent, self.waiting = results.absent, [each.name for each in results.ungraded]
            self.unmatched = [each.entry for each in results.store.unmatched() if each.is_submission]
            self.graded_at = results.run.begun
        self.learners: list[Learner] = []
        self.without_mark: list[str] = []
        self.is_adjusted = False
        worth: dict[str, float | None] = {}
        handed_in: set[str] = set()
        for row in self.rows():
            record = row.record
            self.is_adjusted |= record.is_adjusted
            self.learners.append(row.learner)
            self.without_mark += [] if record.complete else [row.learner.name]
            handed_in |= {part.id for part in record.exercises if part.status != "missing"}
            for part in record.exercises:
                known = worth.setdefault(part.id, None)
                if not part.uncounted:
                    worth[part.id] = max(known or 0.0, part.counted_max_points)
        if not self.learners:
            raise KataError(f"{folder} holds no records: nobody was graded.")
        self.title = options.column or self._units_title(worth) or record.course.title
        self.worth = {id: points for id, points in worth.items() if points is not None}
        self.not_handed_in = self.worth.keys() - handed_in
        self.everyone = [*self.learners, *self.absent]
        self.has_roster = any(each.in_roster for each in self.everyone)

    def rows(self) -> Iterator[Result]:
        """Every learner with a record, in class order."""
        units = self.options.units
        for result in self._results:
            yield replace(result, record=only_of(result.record, units)) if units else result

    @cached_property
    def people(self) -> Mapping[str, Learner]:
        """The learners by their ids; those that the roster lacks are left out, unless there is none."""
        return {each.id: each for each in self.everyone if each.in_roster or not self.has_roster}

    @property
    def whole(self) -> TableColumn:
        """The column of everything."""
        return TableColumn(self.title, sum(self.worth.values()))

    @cached_property
    def columns(self) -> list[TableColumn]:
        """The columns as the options want them, in course order. What is in no unit gets a column of its own."""
        if self.options.by == "learner":
            return [self.whole]
        units = self.options.course.units if self.options.by == "unit" else ()
        groups = [(unit.title, [each.id for each in unit.exercises if each.id in self.worth]) for unit in units]
        placed = {id for _, ids in groups for id in ids}
        groups += [(self._own_title(id), [id]) for id in self.worth if id not in placed]
        return [TableColumn(title, sum(self.worth[id] for id in ids), tuple(ids)) for title, ids in groups if ids]

    def _units_title(self, graded: Collection[str]) -> str:
        """The title of the units that were chosen, or of the only one of several that was graded; "" for others."""
        units = self.options.course.units
        among = [unit for unit in units if any(each.id in graded for each in unit.exercises)]
        is_one = len(among) == 1 < len(units) and all(id in self.titles for id in graded)
        return " and ".join(unit.title for unit in self.options.units or (among if is_one else ()))

    def _own_title(self, id: str) -> str:
        """The exercise's title, with its id if others have the same title: importers find columns by title."""
        title = self.titles.get(id, id)
        return title if list(self.titles.values()).count(title) <= 1 else f"{title} [{id}]"


def demand_different(names: Sequence[str], what: str) -> None:
    """Raise KataError if a name occurs twice, so that marks could not be told apart."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise KataError(f"Two {what} are called {twice[0]!r}; the marks could not be told apart.")


def only_of(record: Record, units: Sequence[Unit]) -> Record:
    """The record as if only these units had been set. Raises KataError if nothing of them was graded."""
    folders = {unit.folder for unit in units}
    ids = {exercise.id for unit in units for exercise in unit.exercises}
    there = tuple(each for each in record.exercises if each.id in ids)
    if not there:
        raise KataError(
            f"Nothing of {', '.join(sorted(folders))} was graded in these results: `kata grade-class --unit` does that."
        )
    part: dict[str, Any] = {"exercises": there, **totals(there)}
    if record.adjustments is not None:
        part["adjustments"] = tuple(each for each in record.adjustments if each.unit in folders)
    return record.model_copy(update=part)
