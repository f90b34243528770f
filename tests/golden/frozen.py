"""What the program said of known work when it was frozen, and what it says now: `python tests/golden/frozen.py TABLE ...`.

    answers    every reference, stub, alternative and known mistake of every exercise, graded as a class
    attacks    every hostile file of tests/attacks, graded as its tests do

Prints how they differ from the files beside this one and ends with 1 if they do; `--renew` writes these files instead.
`--only ID` takes the answers to some exercises.
The answers go through the command line, as an instructor's work does.
"""

from __future__ import annotations

import argparse
import csv
import io
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import zip_longest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from grader.authoring.verify import Trial, trials  # noqa: E402
from grader.course import load_course  # noqa: E402
from grader.record import ExerciseResult, Record  # noqa: E402
from tests.attacks.hostile_files import corpus  # noqa: E402
from tests.attacks.sessions import Sessions, grade_all  # noqa: E402
from tests.records import row_of  # noqa: E402

KATA = Path(sys.executable).with_name("kata")
LONGEST = 2400
"""Seconds for three thousand answers."""
SEED = "7"

Files = dict[str, str]
"""Text by file name."""


def as_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([titles, *rows])
    return text.getvalue()


def graded_answers(only: Sequence[str] = ()) -> list[tuple[Trial, ExerciseResult]]:
    """All that proves the kits of these exercises, every one by default, graded as a class; in course order."""
    course = load_course(ROOT / "course.yml")
    planned = {each.id: trials(course, each) for each in course.exercises if each.id in (only or [each.id])}
    with tempfile.TemporaryDirectory() as folder:
        handed_in, out = Path(folder, "class"), Path(folder, "out")
        for number, row in enumerate(zip_longest(*planned.values())):
            learner = handed_in / f"{number:04}"
            learner.mkdir(parents=True)
            for trial in filter(None, row):
                (learner / f"{trial.exercise.id}.py").write_text(trial.source, "utf-8")
        each = [word for id in only for word in ("--only", id)]
        subprocess.run([KATA, "grade-class", handed_in, "--out", out, "--seed", SEED, *each], cwd=ROOT, timeout=LONGEST)
        records = map(Record.from_json, (out / "results.jsonl").read_text("utf-8").splitlines())
        results = {(int(record.submission), each.id): each for record in records for each in record.exercises}
    return [(trial, results[number, id]) for id, tried in planned.items() for number, trial in enumerate(tried)]


def answers(only: Sequence[str] = ()) -> Files:
    """The table of these exercises' answers; of the others, the rows that are frozen."""
    return answers_table(graded_answers(only), only)


def answers_table(graded: Iterable[tuple[Trial, ExerciseResult]], only: Sequence[str] = ()) -> Files:
    """What became of each answer."""
    rows = [row_of(result.model_dump(), trial.exercise.id, trial.name) for trial, result in graded]
    with (HERE / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows += [row for row in list(csv.reader(file))[1:] if only and row[0] not in only]
    order = [exercise.id for exercise in load_course(ROOT / "course.yml").exercises]
    rows.sort(key=lambda row: order.index(row[0]))
    return {"answers.csv": as_table(["exercise", "answer", "status", "points", "checks", "mistakes"], rows)}


def attacks() -> Files:
    """A table of every hostile file."""
    return attacks_table(grade_all(corpus(), "full"))


def attacks_table(graded: Sessions) -> Files:
    """What became of each file of the corpus that always ends alike."""
    names = sorted(each.name for each in corpus() if not each.by_chance)
    rows = [row_of(graded.result(name).model_dump(), name) for name in names]
    return {"attacks.csv": as_table(["file", "status", "points", "checks", "mistakes"], rows)}


MAKERS: Mapping[str, Callable[[], Files]] = {"answers": answers, "attacks": attacks}


def differences(files: Files) -> Iterator[str]:
    """How these texts differ from the files beside this one."""
    for name, text in files.items():
        path = HERE / name
        frozen = path.read_text("utf-8") if path.exists() else ""
        yield from unified_diff(
            frozen.splitlines(), text.splitlines(), f"frozen {name}", f"now {name}", lineterm="", n=0
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tables", nargs="+", choices=MAKERS)
    parser.add_argument("--only", action="append", metavar="ID", help="of the answers, those to these exercises")
    parser.add_argument("--renew", action="store_true", help="write the files instead of comparing")
    options = parser.parse_args()
    differ = 0
    for table in options.tables:
        files = answers(options.only or ()) if table == "answers" else MAKERS[table]()
        if options.renew:
            for name, text in files.items():
                (HERE / name).parent.mkdir(exist_ok=True)
                (HERE / name).write_text(text, "utf-8")
            continue
        for line in differences(files):
            print(line)
            differ = 1
    return differ


if __name__ == "__main__":
    sys.exit(main())
