"""Prints a record in a terminal: any width, with or without colour, in any encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.record import Mismatch, Mismatches, Problem, Record, Status

from .heatmap import HeatMap
from .heatmap_terminal import PaintedHeatMap, as_text
from .safe_text import encodable, safe_line, visible
from .verdict import MESSAGE_LINES, NO_MISMATCHES, Brief, CheckVerdict, ExerciseVerdict, by_unit, verdicts_on
from .wording import ISOLATION, MARKS, Units, change, counted, out_of, passed_count, score, share, ungraded

BRIEF_LINES = 8
"""Of a message, on the screen; in full it has MESSAGE_LINES."""
TABLE_LINES = 8
"""A table of more lines is left out where a verdict is brief: its caption says where the numbers are wrong."""
PROBLEMS = 30
BAR_WIDTH = 10
SIGN_WIDTH = 2  # a sign and the blank behind it
NARROW = 60  # below this width, an exercise takes two lines, and no bar

STYLES: Mapping[Status, str] = {
    "passed": "green",
    "failed": "red",
    "partly": "cyan",
    "not_started": "dim",
    "missing": "dim",
    "error": "bold magenta",
}


def print_record(
    record: Record,
    console: Console,
    *,
    titles: Mapping[str, str],
    units: Units,
    verbose: bool = False,
    mismatches: Mismatches = NO_MISMATCHES,
) -> None:
    """Print one record: its exercises by unit, what failed and why, the total, how it was graded.

    titles: an exercise's title by its id. units: each unit's title with its exercise ids, in course order.
    verbose: every check, and messages at greater length. mismatches: what is seen under failed checks.
    """
    verdicts = verdicts_on(record, titles, mismatches)
    paper = Paper(console)
    paper.line(f"{safe_line(record.course.title)}: {safe_line(record.submission)}", style="bold")
    for title, members in by_unit(verdicts, units):
        points = out_of(sum(each.points for each in members), sum(each.max_points for each in members))
        console.print()
        paper.line(paper.unbroken(title, points, console.width), style="bold")
        _paint(paper, members, _points_width(verdicts), in_full=verbose)
    _print_problems(record.problems, paper)
    console.print()
    _print_total(record, paper)
    paper.line(f"Isolation: {ISOLATION[record.isolation]}. The same inputs again with --seed {record.seed}")


def print_verdicts(
    record: Record, console: Console, *, titles: Mapping[str, str], mismatches: Mismatches = NO_MISMATCHES
) -> None:
    """Print the verdicts on a learner's own exercises, and of several the total: what is enough to begin with."""
    verdicts = verdicts_on(record, titles, mismatches)
    paper = Paper(console)
    _paint(paper, verdicts, _points_width(verdicts), in_full=False)
    _print_problems(record.problems, paper)
    if len(verdicts) > 1:
        _print_total(record, paper)


def print_verdict(verdict: ExerciseVerdict, console: Console) -> None:
    """Print one verdict, with all of its checks."""
    _paint(Paper(console), [verdict], len(verdict.score), in_full=True)


def _points_width(verdicts: Sequence[ExerciseVerdict]) -> int:
    return max((len(each.score) for each in verdicts), default=0)


def check_text(verdict: ExerciseVerdict, name: str, width: int) -> str:
    """One failed check by itself, as pytest shows it, and the mistakes named."""
    (check,) = (each for each in verdict.checks if each.name == name)
    said = [check.title, *(f"Probably: {each}" for each in verdict.probably), check.message]
    if check.mismatch:
        heat = PaintedHeatMap(HeatMap.of_mismatch(check.mismatch))
        said.append(as_text(lambda console: console.print(heat), width))
    return "\n".join(filter(None, said))


def sign(status: Status, console: Console) -> str:
    """The status's sign, in ASCII if the terminal needs that."""
    return MARKS[status].ascii_sign if console.options.ascii_only else MARKS[status].sign


def text_for(console: Console, shown: str, style: str = "") -> Text:
    """Text that the console can encode, never read as markup, with unsafe characters escaped."""
    return Text(encodable(visible(shown), console.encoding), style=style)


def bar(filled: float, width: int, console: Console, style: str = "green") -> Text:
    """A bar, by a share from 0 to 1: full only when all is reached, with a sign of anything that is."""
    full, empty = ("#", ".") if console.options.ascii_only else ("█", "░")
    signs = int(filled * width + 1e-6) or int(filled > 0)
    return Text.assemble((full * signs, style), (empty * (width - signs), "dim"))


class Paper:
    """Lines of safe text on a console: indented less where it is narrow, folded, never read as markup."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def line(self, shown: str, *, indent: int = 0, style: str = "") -> None:
        """A line of any length, folded."""
        self.put(text_for(self.console, shown, style), indent)

    def marked(self, mark: str, shown: str, *, indent: int, style: str) -> None:
        """A line whose continuation is aligned with its text, not with its sign."""
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_column(no_wrap=True)
        line.add_column(overflow="fold")
        line.add_row(Text(mark, style=style), text_for(self.console, shown, style))
        self.put(line, indent)

    def block(self, shown: str, most: int, *, indent: int, style: str = "") -> None:
        """A text of several lines, on at most so many of the screen and one more."""
        lines = text_for(self.console, shown, style).wrap(
            self.console, max(self.console.width - self.indent(indent), 1), overflow="fold"
        )
        kept = list(lines)[: most + 1]
        if len(lines) > len(kept):
            kept[-1] = Text("... (cut short)", style=style)
        for line in kept:
            line.rstrip()
            self.put(line, indent)

    def put(self, what: Text | Table | PaintedHeatMap, indent: int) -> None:
        """Anything that rich prints, indented."""
        self.console.print(Padding(what, (0, 0, 0, self.indent(indent)), expand=False))

    def indent(self, columns: int) -> int:
        """As far as text is really indented here."""
        return min(columns, self.console.width // 6)

    def unbroken(self, title: str, points: str, width: int) -> str:
        """The title with its points behind it, or below it where the end of a line would cut these in two."""
        shown = f"{title}  {points}"
        lines = text_for(self.console, shown).wrap(self.console, max(width, 1), overflow="fold")
        is_whole = sum(line.plain.count(points) for line in lines) == shown.count(points)
        return shown if is_whole else f"{title}\n{points}"


def _paint(paper: Paper, verdicts: Sequence[ExerciseVerdict], points_width: int, *, in_full: bool) -> None:
    """Each verdict: a line with its points, and below it the mistakes named, what failed and why.

    in_full: every check, with longer messages; else of each exercise what is enough to begin with.
    """
    most = MESSAGE_LINES if in_full else BRIEF_LINES
    for verdict in verdicts:
        _paint_head(paper, verdict, points_width)
        if verdict.status == "error":
            paper.line(verdict.note, indent=6, style=STYLES["error"])
        for mistake in verdict.probably:
            paper.block(f"Probably: {mistake}", most, indent=6, style="bold yellow")
        if in_full:
            for failure in verdict.failures:
                for check in failure.checks:
                    _paint_check(paper, check)
                _paint_reason(paper, failure.message, failure.mismatches, most, table_lines=0)
        elif verdict.brief:
            _paint_brief(paper, verdict.brief)
        for check in verdict.unanswerable:
            shown = f"{check.title}  {check.message}"
            paper.marked(sign("missing", paper.console), shown, indent=6, style=STYLES["partly"])
        if verdict.remark:
            paper.line(verdict.remark, indent=6, style="dim")
        for check in verdict.passed if in_full else ():
            _paint_check(paper, check)


def _paint_head(paper: Paper, verdict: ExerciseVerdict, points_width: int) -> None:
    console, style = paper.console, STYLES[verdict.status]
    mark, word = sign(verdict.status, console), MARKS[verdict.status].word
    if console.width < NARROW:
        paper.marked(mark, verdict.title, indent=0, style=style)
        paper.line(f"{word}, {verdict.score}", indent=2)
        return
    row = Table.grid(expand=True, padding=(0, 2, 0, 0))
    row.add_column(width=SIGN_WIDTH + max(len(mark.word) for mark in MARKS.values()))
    row.add_column(ratio=1, overflow="fold")
    row.add_column(width=points_width, justify="right", no_wrap=True)
    row.add_column(width=BAR_WIDTH, no_wrap=True)
    row.add_row(
        text_for(console, f"{mark} {word}", style),
        text_for(console, verdict.title, "dim" if style == "dim" else ""),
        Text(verdict.score),
        bar(share(verdict.points, verdict.max_points), BAR_WIDTH, console, style),
    )
    console.print(Padding(row, (0, 0, 0, 2)))  # as wide as the screen, so that columns line up


def _paint_brief(paper: Paper, brief: Brief) -> None:
    first = brief.first
    if first.summary:  # the cause of many failures, without their titles, which would hide it
        paper.block(first.message, BRIEF_LINES, indent=6, style=STYLES[first.checks[0].status])
        paper.line(first.summary, indent=6, style="dim")
        _paint_reason(paper, "", first.mismatches[:1], BRIEF_LINES, TABLE_LINES)
    else:
        _paint_check(paper, first.checks[0])
        _paint_reason(paper, first.message, first.mismatches, BRIEF_LINES, TABLE_LINES)
    for check in brief.others:
        _paint_check(paper, check)
    if brief.left_out:
        paper.line(f"{brief.left_out} -v shows them all.", indent=6, style="dim")


def _paint_reason(paper: Paper, message: str, seen: Sequence[Mismatch], most: int, table_lines: int) -> None:
    if message:
        paper.block(message, most, indent=8)
    for mismatch in seen:
        paper.put(PaintedHeatMap(HeatMap.of_mismatch(mismatch), table_lines), indent=8)


def _paint_check(paper: Paper, check: CheckVerdict) -> None:
    width = paper.console.width - paper.indent(6) - SIGN_WIDTH
    shown = paper.unbroken(check.title, check.score, width) if check.score else check.title
    aside = check.aside and f"  ({check.aside})"
    paper.marked(sign(check.status, paper.console), shown + aside, indent=6, style=STYLES[check.status])


def _print_problems(problems: Sequence[Problem], paper: Paper) -> None:
    if not problems:
        return
    paper.console.print()
    wrong = sum(each.kind != "renamed" for each in problems)
    head = f"{counted(wrong, 'problem')} with the files handed in" if wrong else "Files handed in"
    paper.line(head, style="bold")
    for each in problems[:PROBLEMS]:
        paper.marked("!", f"{safe_line(each.file)}: {each.kind}. {safe_line(each.message)}", indent=2, style="yellow")
    if len(problems) > PROBLEMS:
        paper.line(f"... ({len(problems) - PROBLEMS} more)", indent=2)


def _print_total(record: Record, paper: Paper) -> None:
    """The points and how they came about."""
    if record.adjustments:
        paper.line(f"Graded: {score(record.points)} of {score(record.max_points)} points", style="bold")
        for adjustment in record.adjustments:
            paper.marked(change(adjustment), safe_line(adjustment.reason), indent=2, style="")
        paper.console.print()
    points = f"{score(record.counted_points)} of {score(record.counted_max_points)} points"
    passed = f"{passed_count(record)} of {counted(len(record.exercises), 'exercise')} passed"
    paper.line(f"{points}, {passed}", style="bold")
    if warning := ungraded(record):
        paper.line(f"! {warning}", style=STYLES["error"])
