"""A class of equal work: `kata grade-class` against nbgrader, otter-grader and plain pytest, in one run.

Every tool grades the same learners with the same checks on the same hidden inputs; ours does it behind the full wall
and diagnoses what is wrong as well. `--kind` chooses how alike their answers are (`hand_ins.py`). A rival's time for
one more submission is what a class twice as large takes longer, so its start-up is left out, while ours is counted in.
Each rival also runs with tests that check nothing, which no choice of checks can undercut. `python
benchmarks/rivals/classes.py [--kind unlike] [--quick] [--json FILE]`; `set_up.sh` comes before.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import otter_run
import ours
import plain
import stock
from bare import write_facts
from hand_ins import MOST_UNLIKE, SIX, HandIn, class_of
from marks import Scores
from sheets import Checks, Layout, sheets_of
from workplace import ROOT, await_environment, import_seconds, versions

from grader.course import Course, Exercise, load_course

CORES = 2


@dataclass(frozen=True)
class Measured:
    """One tool on one class. Seconds; `processes` are those that grade at the same time."""

    tool: str
    checks: str
    processes: int
    learners: list[int]
    seconds: list[float]
    per_submission: float
    disagreements: list[str]
    """Answers that got full points from this tool and not from ours, or the other way round."""


@dataclass(frozen=True)
class Rival:
    """How to use a tool: where to prepare a class, hand it in, grade it, read its scores."""

    name: str
    prepare: Callable[[Path, Checks], None]
    hand_in: Callable[[Path, Sequence[HandIn]], None]
    grade: Callable[[Sequence[Path], Path], float]
    scores: Callable[[Path], Scores]


def rivals(course: Course, exercises: Sequence[Exercise], layout: Layout) -> list[Rival]:
    """The tools to compare with."""
    sheets = sheets_of(course, exercises, layout)
    ids = [exercise.id for exercise in exercises]
    return [
        Rival(
            "nbgrader",
            lambda folder, checks: stock.prepare(folder, sheets, checks),
            stock.hand_in,
            stock.autograde,
            stock.scores,
        ),
        Rival(
            "otter-grader",
            lambda folder, checks: otter_run.prepare(folder, sheets, checks),
            otter_run.hand_in,
            otter_run.grade,
            otter_run.scores,
        ),
        Rival(
            "pytest",
            lambda folder, checks: plain.prepare(folder, ids, checks),
            plain.hand_in,
            plain.grade,
            plain.scores,
        ),
    ]


class Run:
    """One class, graded by every tool."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        course = load_course(ROOT / "course.yml")
        self.exercises = [course.exercise(id) for id in options.exercises] or [
            exercise for exercise in course.exercises if exercise.id not in options.leave_out
        ]
        self.folder = folder
        self.few = options.few
        self.seed = secrets.randbelow(2**31)
        self.facts = folder / "facts.json"
        write_facts(self.facts, course, self.seed)
        self.learners = class_of(course, self.exercises, max(options.learners, 2 * options.few), options.kind)
        self.rivals = [each for each in rivals(course, self.exercises, options.layout) if each.name in options.rivals]

    def ours(self) -> Measured:
        """The whole class."""
        tell(f"ours, {len(self.learners)} learners")
        own = self.folder / "ours"
        seconds = ours.grade(own, self.learners, [each.id for each in self.exercises], self.seed)
        self.due = ours.scores(own)
        count = len(self.learners)
        return Measured("ours", "same", CORES, [count], [seconds], seconds / count, [])

    def rival(self, rival: Rival) -> list[Measured]:
        """A few learners one after another, twice as many, and twice as many by two processes; then without checks."""
        few, more = self.few, 2 * self.few
        taken, disagreements = [], []
        for count in (few, more):
            seconds, told = self._graded(rival, "same", [self.learners[:count]])
            taken.append(seconds)
            disagreements += told
        each = (taken[1] - taken[0]) / few
        start = max(0.0, taken[0] - few * each)
        at_once, told = self._graded(rival, "same", [self.learners[:few], self.learners[few:more]])
        bare, _ = self._graded(rival, "none", [self.learners[:few]])
        return [
            Measured(rival.name, "same", 1, [few, more], taken, each, disagreements),
            Measured(rival.name, "same", CORES, [more], [at_once], (at_once - start) / more, told),
            Measured(rival.name, "none", 1, [few], [bare], (bare - start) / few, []),
        ]

    def _graded(self, rival: Rival, checks: Checks, parts: Sequence[Sequence[HandIn]]) -> tuple[float, list[str]]:
        tell(f"{rival.name}, {' + '.join(str(len(part)) for part in parts)} learners, {checks} checks")
        folders = []
        for part in parts:
            folder = Path(tempfile.mkdtemp(dir=self.folder)) / rival.name
            rival.prepare(folder, checks)
            rival.hand_in(folder, part)
            folders.append(folder)
        seconds = rival.grade(folders, self.facts)
        came: Scores = {}
        for folder in folders:
            came |= rival.scores(folder)
        return seconds, self._disagreements(came, [each.learner for part in parts for each in part])

    def _disagreements(self, came: Scores, learners: Sequence[str]) -> list[str]:
        told = []
        for learner in learners:
            for id, (due, most) in self.due[learner].items():
                got, of = came.get(learner, {}).get(id, (None, 1.0))
                if (got == of) != (due == most):
                    told.append(f"{learner} {id}: {got} of {of}, ours {due} of {most}")
        return told


def tell(sentence: str) -> None:
    """What is being measured now."""
    print(f"  {sentence} …", file=sys.stderr, flush=True)


def table(rows: Sequence[Measured], exercises: int) -> str:
    """The rows as a Markdown table."""
    ours = rows[0].per_submission
    lines = [
        "| tool | checks | at a time | learners | a submission (s) | an exercise (ms) | ours is faster by |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        counts = ", ".join(map(str, row.learners))
        lines.append(
            f"| {row.tool} | {row.checks} | {row.processes} | {counts} | {row.per_submission:.2f} "
            f"| {row.per_submission / exercises * 1000:.0f} | {row.per_submission / ours:.1f} |"
        )
    return "\n".join(lines)


def options_of(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", type=int, default=MOST_UNLIKE, help="the size of our class")
    parser.add_argument("--few", type=int, default=2, help="how many learners the rivals grade; then twice as many")
    parser.add_argument("--exercises", nargs="*", default=[], metavar="ID", help="only these; `six` for a short course")
    parser.add_argument("--leave-out", nargs="*", default=[], metavar="ID", help="all but these")
    parser.add_argument("--layout", choices=["unit", "exercise", "one"], default="unit", help="one notebook for each")
    parser.add_argument("--kind", choices=["written", "unlike"], default="written", help="how alike answers are")
    parser.add_argument("--quick", action="store_true", help="a class of two: to see that it runs")
    known = ["nbgrader", "otter-grader", "pytest"]
    parser.add_argument("--rivals", nargs="*", choices=known, default=known)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args(arguments)
    if options.exercises == ["six"]:
        options.exercises = list(SIX)
    if options.quick:
        options.learners, options.few = 2, 1
    return options


def main() -> None:
    """Measure everything, print the table and, if asked, write the figures."""
    options = options_of()
    load = os.getloadavg()[0]
    if options.rivals:
        await_environment()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), options)
        rows = [run.ours()]
        for rival in run.rivals:
            rows += run.rival(rival)
    print(table(rows, len(run.exercises)))
    for row in rows:
        for line in row.disagreements:
            print(f"{row.tool} disagrees: {line}")
    if options.json:
        figures = {
            "exercises": [exercise.id for exercise in run.exercises],
            "layout": options.layout,
            "kind": options.kind,
            "notebooks": len(sheets_of(load_course(ROOT / "course.yml"), run.exercises, options.layout)),
            "load_before": load,
            "versions": versions() if options.rivals else {},
            "import_seconds": import_seconds() if options.rivals else [],
            "rows": [asdict(row) for row in rows],
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
