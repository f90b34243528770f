"""Prints the overview of a class in the terminal: learners, points, hardest exercises, what to explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.intake.names import first_few
from grader.record import Status

from .class_summary import ClassSummary, ExerciseTally, LearnerRow
from .class_topics import averages, distribution, doubtful, topics
from .safe_text import safe_line
from .terminal import STYLES, sign, text_for
from .wording import IN_CLASSES, counted, score

NARROW = 64  # below this width, a submission takes three lines

MOST_ROWS = 40
"""Classes up to this size are listed completely; of larger ones, only the learners with the fewest points."""

LAST_ROWS = 15
CHART_FROM = 10
"""From this many learners on, a chart of points is printed."""

BAR_WIDTH = 30
HARDEST = 5
NAMED = 10


def print_class(summary: ClassSummary, console: Console, *, rest: str = "") -> None:
    """Print the class: learners, spread of points, hardest exercises, what to explain, what was not graded.

    rest: where to find the whole list, for a class that is too large to print.
    """
    if not (summary.rows or summary.absent or summary.disputed):
        console.print(Text("No submissions."))
        return
    _Printer(summary, console).print(rest)


class _Printer:
    def __init__(self, summary: ClassSummary, console: Console) -> None:
        self.summary = summary
        self.console = console
        self.with_problems = any(row.problems for row in summary.rows)

    def print(self, rest: str) -> None:
        rows = self.summary.rows
        shown = rows if len(rows) <= MOST_ROWS else _last(rows)
        if len(shown) < len(rows):
            self._line(f"The {len(shown)} learners with the fewest points, of {len(rows)}", style="bold")
        if self.console.width < NARROW:
            self._stacked(shown)
        elif shown:
            self.console.print(self._table(shown))
        if len(shown) < len(rows):
            self._line(f"{counted(len(rows) - len(shown), 'more learner')}{f': {rest}' if rest else ''}", style="dim")
        self.console.print()
        signs = "  ".join(f"{sign(status, self.console)} {mark.word}" for status, mark in IN_CLASSES.items())
        self._line(signs, style="dim")
        self._chart()
        self._hardest()
        self._topics()
        self._left_out()
        self.console.print()
        self._line(averages(rows), style="bold")

    def _line(self, shown: str, *, indent: int = 0, style: str = "") -> None:
        text = text_for(self.console, shown, style)
        self.console.print(Padding(text, (0, 0, 0, min(indent, self.console.width // 6)), expand=False))

    def _heading(self, shown: str) -> None:
        self.console.print()
        self._line(shown, style="bold")

    # --- learners ---------------------------------------------------------------------------------------------------

    def _table(self, rows: Sequence[LearnerRow]) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column("submission", overflow="fold", min_width=10)
        table.add_column("points", justify="right", no_wrap=True)
        if self.summary.is_adjusted:
            table.add_column("graded", justify="right", no_wrap=True)
        table.add_column("passed", justify="right", no_wrap=True)
        table.add_column("exercises", overflow="fold", min_width=9)
        if self.with_problems:
            table.add_column("problems", justify="right", no_wrap=True)
        for row in rows:
            points = [Text(_score(row)), *([Text(_graded(row))] if self.summary.is_adjusted else [])]
            cells = [text_for(self.console, _named(row)), *points, Text(self._passed(row)), self._strip(row)]
            problems = [Text(str(row.problems or ""))] if self.with_problems else []
            table.add_row(*cells, *problems)
        return table

    def _stacked(self, rows: Sequence[LearnerRow]) -> None:
        for row in rows:
            problems = f", {counted(row.problems, 'problem')}" if row.problems else ""
            self._line(_named(row), style="bold")
            graded = f" (graded: {_graded(row)})" if row.graded_points is not None else ""
            self._line(f"{_score(row)} points{graded}, {self._passed(row)} passed{problems}", indent=2)
            self.console.print(Padding(self._strip(row), (0, 0, 0, 2), expand=False))

    def _passed(self, row: LearnerRow) -> str:
        graded = sum(status is not None for status in self.summary.statuses(row))
        return f"{row.count('passed')} / {graded}"

    def _strip(self, row: LearnerRow) -> Text:
        strip = Text()
        for status in self.summary.statuses(row):
            strip.append(sign(status, self.console) if status else " ", STYLES[status] if status else "")
        return strip

    # --- the class as a whole -----------------------------------------------------------------------------------------

    def _chart(self) -> None:
        spread = distribution(self.summary.rows)
        if spread is None or spread.learners < CHART_FROM:
            return
        self._heading(f"Learners by {spread.unit}")
        block = "#" if self.console.options.ascii_only else "█"
        width = min(BAR_WIDTH, self.console.width // 3)
        labels = [f"{score(bin.low)} to {score(bin.high)}" for bin in spread.bins]
        longest = max(map(len, labels))
        for label, bin in zip(labels, spread.bins, strict=True):
            bar = block * (round(width * bin.count / spread.highest) or int(bin.count > 0))
            self._line(f"{label:>{longest}}  {bar}{' ' if bar else ''}{bin.count}", indent=2)

    def _hardest(self) -> None:
        stumbled = [tally for tally in self.summary.exercises if tally.passed < tally.tried]
        if not stumbled:
            return
        hardest = sorted(stumbled, key=lambda tally: tally.pass_rate or 0.0)[:HARDEST]
        self._heading("Hardest exercises")
        for tally in hardest:
            self._line(f"{safe_line(tally.title)}: passed by {tally.passed} of {tally.tried} who tried", indent=2)
            for reason in _reasons(tally):
                self._line(reason, indent=4, style="dim")
        for tally in doubtful(self.summary):
            self._line(
                f"! Nearly nobody passes {safe_line(tally.title)}: look at the exercise before the class.",
                style="yellow",
            )

    def _topics(self) -> None:
        if not (found := topics(self.summary)):
            return
        self._heading("What to explain on Monday")
        for number, topic in enumerate(found, 1):
            self._line(f"{number}. {safe_line(topic.exercise.title)}: {topic.how_many}", indent=2)
            self._line(safe_line(topic.message), indent=5)

    def _left_out(self) -> None:
        told = list(_left_out(self.summary))
        if told:
            self.console.print()
        for status, line in told:
            self._line(f"{sign(status, self.console)} {line}", style=STYLES[status])


def _left_out(summary: ClassSummary) -> Iterator[tuple[Status, str]]:
    """Learners without a mark, and why; the status is for the sign and the style."""
    if names := [row.name for row in summary.rows if not row.is_complete]:
        yield "error", f"Not fully graded, by the grader's own fault: {_some(names)}"
    if names := [f"{row.name} ({row.unreadable})" for row in summary.rows if row.unreadable]:
        yield "failed", f"Could not be read: {_some(names)}"
    if summary.absent:
        yield "missing", f"On the roster, but handed in nothing: {_some(summary.absent)}"
    if summary.disputed:
        yield "failed", f"Claimed by several submissions, so without a mark: {_some(summary.disputed)}"


def _some(names: Sequence[str]) -> str:
    return first_few(names, NAMED, shown=str)


def _last(rows: Sequence[LearnerRow]) -> list[LearnerRow]:
    """Those with the fewest points, among those whose points are a mark."""
    return sorted((row for row in rows if row.is_mark), key=lambda row: row.points)[:LAST_ROWS]


def _reasons(tally: ExerciseTally) -> Iterator[str]:
    if check := tally.most_missed:
        yield f"{check.missed} miss “{safe_line(check.title)}”"
    if tally.stuck:
        yield f"{len(tally.stuck)} failed every check for one reason"


def _graded(row: LearnerRow) -> str:
    return "" if row.graded_points is None else score(row.graded_points)


def _named(row: LearnerRow) -> str:
    return ", ".join(filter(None, [row.name, row.attempt, row.note]))


def _score(row: LearnerRow) -> str:
    return f"{score(row.points)} / {score(row.max_points)}{'' if row.is_complete else ' !'}"
