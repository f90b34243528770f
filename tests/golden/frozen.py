"""What the program said of known work when it was frozen, and what it says now: `python tests/golden/frozen.py TABLE ...`.

    answers    every reference, alternative and known mistake of every exercise, graded as a class
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import zip_longest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from tests.attacks.hostile_files import corpus  # noqa: E402
from tests.attacks.sessions import Sessions, grade_all  # noqa: E402
from tests.records import records_in, row_of  # noqa: E402

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


def answers(only: Sequence[str] = ()) -> Files:
    """A table of every reference, alternative and known mistake; of the other exercises, the rows that are frozen."""
    from grader.course import load_course
    from grader.judge.bank import load_alternatives, load_bank

    course = load_course(ROOT / "course.yml")
    sources: dict[str, dict[str, str]] = {}
    chosen = [exercise for exercise in course.exercises if exercise.id in (only or [exercise.id])]
    for exercise in chosen:
        reference = course.solution_path(exercise).read_text("utf-8")
        named = sources[exercise.id] = {"reference": reference}
        for id, source in load_alternatives(course, exercise).items():
            named[f"alternative {id}"] = source
        for mistake in load_bank(course.mistakes_path(exercise)):
            named[f"mistake {mistake.id}"] = mistake.source_from(reference)
    with tempfile.TemporaryDirectory() as folder:
        handed_in, out = Path(folder, "class"), Path(folder, "out")
        for number, columns in enumerate(zip_longest(*(list(named.items()) for named in sources.values()))):
            learner = handed_in / f"{number:04}"
            learner.mkdir(parents=True)
            for id, column in zip(sources, columns, strict=True):
                if column is not None:
                    (learner / f"{id}.py").write_text(column[1], "utf-8")
        each = [word for id in only for word in ("--only", id)]
        subprocess.run([KATA, "grade-class", handed_in, "--out", out, "--seed", SEED, *each], cwd=ROOT, timeout=LONGEST)
        rows = [
            row_of(exercise, exercise["id"], list(sources[exercise["id"]])[number])
            for number, record in enumerate(records_in(out))
            for exercise in record["exercises"]
            if exercise["id"] in sources and number < len(sources[exercise["id"]])
        ]
    rows.sort(key=lambda row: list(sources[row[0]]).index(row[1]))
    with (HERE / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows += [row for row in list(csv.reader(file))[1:] if only and row[0] not in only]
    order = [exercise.id for exercise in course.exercises]
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
