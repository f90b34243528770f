"""How many lines `kata check` prints of a wrong answer, 80 columns wide: `python benchmarks/screens.py`.

Two kinds of wrong answers are checked, each in an exercise by itself:

    known      each mistake of the banks
    written    answers as learners write them (benchmarks/written)

`--only ID` takes an exercise, `--every N` every Nth answer of it, `--show` prints each screen that is too long. Ctrl-C
ends early and reports what was done. It ends with status 1 when an aim is missed: a median of at most 12 lines, and
none over 20.
"""

from __future__ import annotations

import io
import os
import statistics
import sys
from collections.abc import Iterator
from contextlib import closing, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path

from answers import written, wrong_answers
from figures import ROOT, Table, options_of, tell

from grader.cli.learn import print_checked
from grader.course import Course, Exercise, load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge
from grader.practice.checking import Checked, judged
from grader.practice.workspace import Workspace
from grader.sandbox.doctor import strongest_level

SEED = 2026
WIDTH = 80
MEDIAN, LONGEST = 12, 20


@dataclass(frozen=True)
class Screen:
    """What is printed of one wrong answer."""

    kind: str
    what: str
    text: str

    @property
    def lines(self) -> int:
        """How many lines of the terminal it takes."""
        return len(self.text.splitlines())


def answers(course: Course, exercise: Exercise) -> Iterator[tuple[str, str, str]]:
    """Wrong answers, each with its kind and what it is called."""
    for id, source in wrong_answers(course, exercise).items():
        yield "known", id, source
    for kind in ("seen", "held_back"):
        for number, source in written(exercise.id, kind).items():
            yield "written", f"{kind} {number}", source


def screens(course: Course, exercise: Exercise, every: int) -> Iterator[Screen]:
    """What is printed of the wrong answers to an exercise, as far as they are refused."""
    workspace = Workspace(course, Path("nowhere"))  # nothing of it is read
    with closing(Judge(course, strongest_level(), SEED, [exercise.id])) as judge:
        for kind, what, source in list(answers(course, exercise))[::every]:
            file = SourceFile(exercise.id, exercise.file_name, source.encode("utf-8"))
            checked = Checked(*judged(judge, Submission("your work", {exercise.id: file}, ()), [exercise.id]))
            if not checked.is_right:
                with redirect_stdout(io.StringIO()) as printed:
                    print_checked(workspace, checked, verbose=False)
                yield Screen(kind, f"{exercise.id}, {what}", printed.getvalue())


def row(kind: str, those: list[Screen]) -> tuple[str, ...]:
    """A kind's row of the table."""
    lines = sorted(each.lines for each in those)
    longest = max(those, key=lambda each: each.lines)
    most = lines[9 * (len(lines) - 1) // 10]
    return kind, f"{len(lines)}", f"{statistics.median(lines):g}", f"{most}", f"{lines[-1]} ({longest.what})"


def main() -> None:
    """Check all wrong answers, and print a table."""
    parser = options_of(__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--only", action="append", metavar="ID")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    os.environ["COLUMNS"] = str(WIDTH)
    course = load_course(ROOT / "course.yml")
    found: dict[str, list[Screen]] = {}
    with suppress(KeyboardInterrupt):  # what was done until then is told
        for exercise in course.exercises:
            if exercise.id in (options.only or [exercise.id]):
                for screen in screens(course, exercise, options.every):
                    found.setdefault(screen.kind, []).append(screen)
                print(f"{exercise.id} is done", file=sys.stderr)
    for screen in (each for those in found.values() for each in those if each.lines > LONGEST):
        print(f"{screen.lines} lines: {screen.what}")
        if options.show:
            print(screen.text)
    columns = ("wrong answers", "refused", "lines: median", "nine of ten", "most")
    note = f"Lines of `kata check` in a terminal of {WIDTH} columns. Aims: a median of {MEDIAN}, at most {LONGEST}."
    tell(Table(columns, [row(kind, those) for kind, those in found.items()], note), options.json)
    lines = [[screen.lines for screen in those] for those in found.values()]
    if any(statistics.median(each) > MEDIAN or max(each) > LONGEST for each in lines):
        sys.exit("An aim is missed.")


if __name__ == "__main__":
    main()
