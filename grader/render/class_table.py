"""Prints the overview of a class in the terminal: learners, points, hardest exercises, what to explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.intake.names import first_few

from .class_summary import ClassSummary, LearnerRow
from .safe_text import safe_line
from .terminal import STYLES, Paper, sign, text_for
from .wording import IN_CLASSES, counted, out_of, score

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
    if summary.is_empty:
        paper.line("No submissions.")
        return
    _print_learners(summary, paper, rest)
    console.print()
    signs = "  ".join(f"{sign(status, console)} {mark.word}" for status, mark in IN_CLASSES.items())
    paper.line(signs, style="dim")
    for heading, lines in (
        _chart(summary, console),
        ("Hardest exercises", _hardest(summary)),
        ("What to explain on Monday", _topics(summary)),
    ):
        for number, (indent, line, style) in enumerate(lines):
            if not number:
                console.print()
                paper.line(heading, style="bold")
            paper.line(line, indent=indent, style=style)
    if left_out := summary.left_out:
        console.print()
    for each in left_out:
        names = first_few([str(who) for who in each.people], NAMED, shown=str)
        paper.line(f"{sign(each.status, console)} {each.what}: {names}", style=STYLES[each.status])
    console.print()
    paper.line(summary.averages, style="bold")


Lines = Iterator[tuple[int, str, str]]
"""Lines with their indentation and style."""


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


def _chart(summary: ClassSummary, console: Console) -> tuple[str, Lines]:
    """The distribution of points with its heading; nothing for a few learners."""
    spread = summary.distribution
    if spread is None or spread.learners < CHART_FROM:
        return "", iter(())
    block = "#" if console.options.ascii_only else "█"
    width = min(BAR_WIDTH, console.width // 3)
    labels = [f"{score(low)} to {score(high)}" for low, high, _ in spread.bins]
    counts = [count for _, _, count in spread.bins]
    bars = [block * (round(width * count / max(counts)) or int(count > 0)) for count in counts]
    lines = (
        (2, f"{label:>{max(map(len, labels))}}  {bar}{' ' if bar else ''}{count}", "")
        for label, bar, count in zip(labels, bars, counts, strict=True)
    )
    return f"Learners by {spread.unit}", lines


def _hardest(summary: ClassSummary) -> Lines:
    stumbled = [tally for tally in summary.exercises if tally.passed < tally.tried]
    for tally in sorted(stumbled, key=lambda tally: tally.pass_rate or 0.0)[:HARDEST]:
        yield 2, f"{safe_line(tally.title)}: passed by {tally.passed} of {tally.tried} who tried", ""
        if missed := tally.most_missed:
            yield 4, f"{missed[1]} miss “{safe_line(missed[0])}”", "dim"
        if tally.stuck:
            yield 4, safe_line(tally.about_stuck), "dim"
    for tally in summary.doubtful:
        yield 0, f"! Nearly nobody passes {safe_line(tally.title)}: look at the exercise before the class.", "yellow"


def _topics(summary: ClassSummary) -> Lines:
    for number, topic in enumerate(summary.topics, 1):
        yield 2, f"{number}. {safe_line(topic.exercise.title)}: {topic.how_many}", ""
        yield 5, safe_line(topic.message), ""
