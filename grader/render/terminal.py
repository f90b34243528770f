"""Prints a record in a terminal: any width, with or without colour, in any encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.mismatch import Mismatches
from grader.record import CheckResult, ExerciseResult, Record, Status

from .heatmap import HeatMap
from .safe_text import encodable, safe_block, safe_line
from .wording import (
    ISOLATION,
    MARKS,
    NOT_GRADED,
    Finding,
    UnitResults,
    Units,
    by_unit,
    change,
    checks_passed,
    common_cause,
    counted,
    findings,
    not_run,
    partly_count,
    passed_count,
    score,
    share,
    unanswerable,
    ungraded,
    unseen,
    waits_for_main,
    when_handed_in,
    which_attempt,
)

MESSAGE_LINES = 12
VERBOSE_MESSAGE_LINES = 60
PROBLEMS = 30
BAR_WIDTH = 10
SIGN_WIDTH = 2  # a sign and the blank behind it
ROOMY = 64  # below this width, the bar is left out
NARROW = 46  # below this width, an exercise takes two lines

NOTHING_TO_SEE: Mismatches = {}

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
    mismatches: Mismatches = NOTHING_TO_SEE,
    with_circumstances: bool = True,
) -> None:
    """Print one record: its exercises by unit, what failed and why, and the total.

    titles: an exercise's title by its id. units: each unit's title with its exercise ids, in course order.
    verbose: also every passed check, and messages at greater length. mismatches: what is seen under failed checks.
    with_circumstances: the isolation and the seed too.
    """
    printer = _RecordPrinter(record, console, titles, verbose, mismatches)
    printer.print(units)
    if with_circumstances:
        printer.print_circumstances()


def print_verdicts(
    record: Record,
    console: Console,
    *,
    titles: Mapping[str, str],
    mismatches: Mismatches = NOTHING_TO_SEE,
    with_passed: bool = False,
) -> None:
    """Print the verdicts on a record's exercises, without units and totals: for a learner who has just saved one.

    with_passed: also passed checks.
    """
    _RecordPrinter(record, console, titles, False, mismatches, with_passed).print_exercises()


def sign(status: Status, console: Console) -> str:
    """The status's sign, in ASCII if the terminal needs that."""
    return MARKS[status].ascii_sign if console.options.ascii_only else MARKS[status].sign


def text_for(console: Console, shown: str, style: str = "") -> Text:
    """Text that the console can encode, never read as markup. `shown` is already safe."""
    return Text(encodable(shown, console.encoding), style=style)


class _RecordPrinter:
    def __init__(
        self,
        record: Record,
        console: Console,
        titles: Mapping[str, str],
        verbose: bool,
        mismatches: Mismatches,
        with_passed: bool = False,
    ) -> None:
        self.record = record
        self.mismatches = mismatches
        self.console = console
        self.titles = titles
        self.verbose = verbose
        self.with_passed = verbose or with_passed
        self.is_partly_seen = any(unseen(exercise) for exercise in record.exercises)
        self.points_width = max((len(self._score([exercise])) for exercise in record.exercises), default=0)

    def print(self, units: Units) -> None:
        self._line(f"{safe_line(self.record.course.title)}: {safe_line(self.record.submission)}", style="bold")
        for unit in by_unit(self.record, units):
            self._unit(unit)
        self._problems()
        self._closing()

    def print_exercises(self) -> None:
        for exercise in self.record.exercises:
            self._exercise(exercise)
        self._problems()

    def _line(self, shown: str, *, indent: int = 0, style: str = "") -> None:
        self._put(text_for(self.console, shown, style), indent)

    def _marked(self, mark: str, shown: str, *, indent: int, style: str) -> None:
        """A line whose continuation is aligned with its text, not with its sign."""
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_column(no_wrap=True)
        line.add_column(overflow="fold")
        line.add_row(Text(mark, style=style), text_for(self.console, shown, style))
        self._put(line, indent)

    def _put(self, what: Text | Table | HeatMap, indent: int) -> None:
        self.console.print(Padding(what, (0, 0, 0, self._indent(indent)), expand=False))

    def _indent(self, columns: int) -> int:
        return min(columns, self.console.width // 6)

    def _unit(self, unit: UnitResults) -> None:
        self.console.print()
        head = self._unbroken(safe_line(unit.title), self._score(unit.exercises), self.console.width)
        self._line(head, style="bold")
        for exercise in unit.exercises:
            self._exercise(exercise)

    def _exercise(self, exercise: ExerciseResult) -> None:
        title = safe_line(self.titles.get(exercise.id, exercise.id))
        style = STYLES[exercise.status]
        word = MARKS[exercise.status].word
        mark = sign(exercise.status, self.console)
        if self.console.width < NARROW:
            self._marked(mark, title, indent=0, style=style)
            self._line(f"{word}, {self._score([exercise])}", indent=2)
        else:
            self._row(f"{mark} {word}", title, exercise, style)
        self._below(exercise)

    def _row(self, status: str, title: str, exercise: ExerciseResult, style: str) -> None:
        row = Table.grid(expand=True, padding=(0, 2, 0, 0))
        row.add_column(width=2 + max(len(mark.word) for mark in MARKS.values()))
        row.add_column(ratio=1, overflow="fold")
        row.add_column(width=self.points_width, justify="right", no_wrap=True)
        cells = [
            text_for(self.console, status, style),
            text_for(self.console, title, "dim" if style == "dim" else ""),
            Text(self._score([exercise])),
        ]
        if self.console.width >= ROOMY:
            row.add_column(width=BAR_WIDTH, no_wrap=True)
            cells.append(self._bar(*self._earned([exercise]), style))
        row.add_row(*cells)
        self.console.print(Padding(row, (0, 0, 0, 2)))  # as wide as the screen, so that columns line up

    def _earned(self, exercises: Sequence[ExerciseResult]) -> tuple[float, float]:
        """Points, or in a learner's bundle checks: earned, and the maximum."""
        if self.is_partly_seen:
            return checks_passed(exercises)
        return sum(each.points for each in exercises), sum(each.max_points for each in exercises)

    def _score(self, exercises: Sequence[ExerciseResult]) -> str:
        earned, most = self._earned(exercises)
        return f"{score(earned)} / {score(most)}{' checks' if self.is_partly_seen else ''}"

    def _bar(self, points: float, max_points: float, style: str) -> Text:
        full, empty = ("#", ".") if self.console.options.ascii_only else ("█", "░")
        # rounded down, so that only full points fill the bar; but any points earned show
        filled = int(share(points, max_points) * BAR_WIDTH + 1e-6) or int(points > 0)
        return Text.assemble((full * filled, style), (empty * (BAR_WIDTH - filled), "dim"))

    def _below(self, exercise: ExerciseResult) -> None:
        if exercise.status == "error":
            self._line(NOT_GRADED, indent=6, style=STYLES["error"])
        for finding in findings(exercise):
            self._finding(finding, exercise.id)
        for diagnosis in exercise.diagnosis:
            self._block(f"Probably: {diagnosis.message}", indent=6, style="bold yellow")
        for check in unanswerable(exercise):
            shown = f"{safe_line(check.title or check.name)}  {safe_line(check.message)}"
            self._marked(sign("missing", self.console), shown, indent=6, style=STYLES["partly"])
        if remark := not_run(exercise):
            self._line(remark, indent=6, style="dim")
        if self.with_passed:
            self._passed_checks(exercise)

    def _finding(self, finding: Finding, exercise: str) -> None:
        if (remark := common_cause(finding)) and not self.verbose:
            self._common_cause(finding, remark)
        else:
            for check in finding.checks:
                self._check(check, "error" if check.outcome == "error" else "failed")
            if finding.message.strip():
                self._block(finding.message, indent=8)
        for check in finding.checks:
            if check.visible and (mismatch := self.mismatches.get((exercise, check.name))):
                self._put(HeatMap(mismatch), indent=8)

    def _common_cause(self, finding: Finding, remark: str) -> None:
        """One cause and how many checks it fails, without their titles, which would hide it."""
        is_error = any(check.outcome == "error" for check in finding.checks)
        self._block(finding.message, indent=6, style=STYLES["error" if is_error else "failed"])
        self._line(remark, indent=6, style="dim")

    def _passed_checks(self, exercise: ExerciseResult) -> None:
        is_known = exercise.status != "partly" and not not_run(exercise)
        for check in exercise.checks:
            if check.outcome == "passed" and is_known:
                self._check(check, "passed")
            elif check.outcome == "passed":
                shown = f"{safe_line(check.title or check.name)}  holds"
                self._marked(sign("partly", self.console), shown, indent=6, style=STYLES["partly"])
        for check in unseen(exercise):
            shown = f"{safe_line(check.title or check.name)}  runs when you hand in, {score(check.max_points)} pt"
            self._marked(sign("missing", self.console), shown, indent=6, style="dim")

    def _check(self, check: CheckResult, status: Status) -> None:
        title = safe_line(check.title or check.name)
        waiting = "  (counts once the main check passes)" if waits_for_main(check) else ""
        points = f"{score(check.points)} / {score(check.max_points)}"
        shown = self._unbroken(title, points, self.console.width - self._indent(6) - SIGN_WIDTH)
        self._marked(sign(status, self.console), shown + waiting, indent=6, style=STYLES[status])

    def _unbroken(self, title: str, points: str, width: int) -> str:
        """The title with its points behind it, or below it where the end of a line would cut these in two."""
        shown = f"{title}  {points}"
        lines = text_for(self.console, shown).wrap(self.console, max(width, 1), overflow="fold")
        is_whole = sum(line.plain.count(points) for line in lines) == shown.count(points)
        return shown if is_whole else f"{title}\n{points}"

    def _block(self, untrusted: str, *, indent: int, style: str = "") -> None:
        """Text of any length, limited to a number of lines on the screen."""
        most = VERBOSE_MESSAGE_LINES if self.verbose else MESSAGE_LINES
        text = text_for(self.console, "\n".join(safe_block(untrusted, most)), style)
        lines = text.wrap(self.console, max(self.console.width - self._indent(indent), 1), overflow="fold")
        shown = list(lines)[: most + 1]
        if len(lines) > len(shown):
            shown[-1] = Text("... (cut short)", style=style)
        for line in shown:
            line.rstrip()
            self._put(line, indent)

    def _problems(self) -> None:
        problems = self.record.problems
        if not problems:
            return
        self.console.print()
        wrong = len(self.record.not_taken)
        head = f"{counted(wrong, 'problem')} with the files handed in" if wrong else "Files handed in"
        self._line(head, style="bold")
        for problem in problems[:PROBLEMS]:
            shown = f"{safe_line(problem.file)}: {problem.kind}. {safe_line(problem.message)}"
            self._marked("!", shown, indent=2, style="yellow")
        if len(problems) > PROBLEMS:
            self._line(f"... ({len(problems) - PROBLEMS} more)", indent=2)

    def _closing(self) -> None:
        record = self.record
        self.console.print()
        if self.is_partly_seen:
            self._closing_of_a_bundle()
            return
        self._attempt()
        self._adjustments()
        summary = (
            f"{score(record.counted_points)} of {score(record.counted_max_points)} points, "
            f"{passed_count(record)} of {counted(len(record.exercises), 'exercise')} passed"
        )
        self._line(summary, style="bold")
        if warning := ungraded(record):
            self._line(f"! {warning}", style=STYLES["error"])

    def print_circumstances(self) -> None:
        """How it was graded."""
        isolation, seed = ISOLATION[self.record.isolation], self.record.seed
        self._line(f"Isolation: {isolation}. The same inputs again with --seed {seed}")

    def _attempt(self) -> None:
        if self.record.attempt:
            self._line(f"{which_attempt(self.record).capitalize()}. {safe_line(self.record.attempt.reason)}")

    def _adjustments(self) -> None:
        """The changes made by the course's policy."""
        record = self.record
        if not record.is_adjusted:
            return
        self._line(f"Graded: {score(record.points)} of {score(record.max_points)} points", style="bold")
        for adjustment in record.adjustments or ():
            self._marked(change(adjustment), safe_line(adjustment.reason), indent=2, style="")
        self.console.print()

    def _closing_of_a_bundle(self) -> None:
        record = self.record
        hidden = sum(len(unseen(exercise)) for exercise in record.exercises)
        exercises = counted(len(record.exercises), "exercise")
        shown = f"The example passes in {partly_count(record)} of {exercises}; {when_handed_in(hidden)}."
        self._line(shown, style="bold")
        if warning := ungraded(record):
            self._line(f"! {warning}", style=STYLES["error"])
