"""Prints the overview of a class in the terminal: learners, points, hardest exercises, what to explain."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .class_summary import ClassSummary, LearnerRow
from .safe_text import safe_line
from .terminal import STYLES, Paper, sign, text_for
from .wording import IN_CLASSES, counted, first_few, out_of, score

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
    paper = Paper(console)
    if not (summary.rows or summary.left_out):
        paper.line("No submissions.")
        return
    _print_learners(summary, paper, rest)
    console.print()
    signs = "  ".join(f"{sign(status, console)} {mark.word}" for status, mark in IN_CLASSES.items())
    paper.line(signs, style="dim")
    for print_part in (_print_chart, _print_hardest, _print_topics, _print_left_out):
        print_part(summary, paper)
    console.print()
    paper.line(summary.averages, style="bold")


def _head(paper: Paper, text: str) -> None:
    paper.console.print()
    paper.line(text, style="bold")


def _print_learners(summary: ClassSummary, paper: Paper, rest: str) -> None:
    rows = shown = summary.rows
    if len(rows) > MOST_ROWS:
        shown = sorted((row for row in rows if row.is_mark), key=lambda row: row.points)[:LAST_ROWS]
        paper.line(f"The {len(shown)} learners with the fewest points, of {len(rows)}", style="bold")
    if shown:
        paper.console.print(_table(shown, summary, paper.console))
    if len(shown) < len(rows):
        paper.line(f"{counted(len(rows) - len(shown), 'more learner')}{f': {rest}' if rest else ''}", style="dim")


def _table(rows: Sequence[LearnerRow], summary: ClassSummary, console: Console) -> Table:
    columns = {
        "submission": [text_for(console, ", ".join(filter(None, [row.name, row.note]))) for row in rows],
        "points": [Text(out_of(row.points, row.max_points) + " !" * (not row.is_complete)) for row in rows],
        "graded": [Text(score(row.graded_points)) for row in rows] if summary.is_adjusted else [],
        "passed": [Text(f"{row.count('passed')} / {len(row.statuses)}") for row in rows],
        "exercises": [_strip(row, summary, console) for row in rows],
        "problems": [Text(str(row.problems or "")) for row in rows] if any(row.problems for row in rows) else [],
    }
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name, cells in columns.items():
        if cells and name in ("submission", "exercises"):
            table.add_column(name, overflow="fold", min_width=len(name))
        elif cells:
            table.add_column(name, justify="right", no_wrap=True)
    for row_cells in zip(*filter(None, columns.values()), strict=True):
        table.add_row(*row_cells)
    return table


def _strip(row: LearnerRow, summary: ClassSummary, console: Console) -> Text:
    """A sign for each exercise, a blank for one that is not in the record."""
    strip = Text()
    for tally in summary.exercises:
        status = row.statuses.get(tally.id)
        strip.append(sign(status, console) if status else " ", STYLES[status] if status else "")
    return strip


def _print_chart(summary: ClassSummary, paper: Paper) -> None:
    """The distribution of points; nothing for a few learners."""
    spread, console = summary.distribution, paper.console
    if spread is None or spread.learners < CHART_FROM:
        return
    _head(paper, f"Learners by {spread.unit}")
    block = "#" if console.options.ascii_only else "█"
    width = min(BAR_WIDTH, console.width // 3)
    labels = [f"{score(low)} to {score(high)}" for low, high, _ in spread.bins]
    most = max(count for _, _, count in spread.bins)
    for label, (_, _, count) in zip(labels, spread.bins, strict=True):
        bar = block * (round(width * count / most) or int(count > 0)) + " " * (count > 0)
        paper.line(f"{label:>{max(map(len, labels))}}  {bar}{count}", indent=2)


def _print_hardest(summary: ClassSummary, paper: Paper) -> None:
    stumbled = [tally for tally in summary.exercises if tally.passed < tally.tried]
    if stumbled:
        _head(paper, "Hardest exercises")
    for tally in sorted(stumbled, key=lambda tally: tally.pass_rate or 0.0)[:HARDEST]:
        paper.line(f"{safe_line(tally.title)}: passed by {tally.passed} of {tally.tried} who tried", indent=2)
        if missed := tally.most_missed:
            paper.line(f"{len(missed)} miss “{safe_line(missed.message)}”", indent=4, style="dim")
        if tally.about_stuck:
            paper.line(safe_line(tally.about_stuck), indent=4, style="dim")
    for tally in filter(lambda each: each.may_be_unfair, summary.exercises):
        advice = "look at the exercise before the class."
        paper.line(f"! Nearly nobody passes {safe_line(tally.title)}: {advice}", style="yellow")


def _print_topics(summary: ClassSummary, paper: Paper) -> None:
    for number, topic in enumerate(summary.topics, 1):
        if number == 1:
            _head(paper, "What to explain on Monday")
        paper.line(f"{number}. {safe_line(topic.exercise.title)}: {topic.how_many}", indent=2)
        paper.line(safe_line(topic.message), indent=5)


def _print_left_out(summary: ClassSummary, paper: Paper) -> None:
    for number, each in enumerate(summary.left_out):
        if number == 0:
            paper.console.print()
        names = first_few([str(who) for who in each.people], NAMED)
        paper.line(f"{sign(each.status, paper.console)} {each.what}: {names}", style=STYLES[each.status])
