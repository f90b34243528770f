"""What the program said of known work when it was frozen, and what it says now: `python tests/golden/frozen.py TABLE ...`.

    answers    every reference, alternative and known mistake of every exercise, graded as a class
    attacks    every hostile file of tests/attacks, graded as its tests do
    class      examples/class: its records, exports and the transcripts of commands

Prints how they differ from the files beside this one and ends with 1 if they do; `--renew` writes these files instead.
`--only ID` takes the answers to some exercises.
All but the attacks goes through the command line, as an instructor's work does.
"""

from __future__ import annotations

import argparse
import atexit
import csv
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import cache
from itertools import zip_longest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from tests.attacks.hostile_files import corpus  # noqa: E402
from tests.attacks.sessions import Sessions, grade_all  # noqa: E402
from tests.warm.client import Warm  # noqa: E402

KATA = Path(sys.executable).with_name("kata")
TERMINAL = {"COLUMNS": "80", "LINES": "40", "TERM": "dumb", "NO_COLOR": "1", "KATA_SERVICE": "0"}
LONGEST = 2400
"""Seconds for three thousand answers."""
SEED = "7"
LETTERS = {"passed": "p", "failed": "F", "error": "E", "skipped": "s"}

Files = dict[str, str]
"""Text by file name."""


@cache
def warm() -> Warm:
    """A process that has loaded `kata`: each command is a fork of it."""
    opened = Warm("grader", {**os.environ, **TERMINAL})
    atexit.register(opened.close)
    return opened


def kata(*words: object, cwd: Path = ROOT, home: Path | None = None) -> str:
    """What a command prints in a terminal of 80 columns, and how it ended if not well."""
    environment = {**os.environ, **TERMINAL, **({"HOME": str(home)} if home else {})}
    done = warm().run([str(KATA), *map(str, words)], cwd, environment, "", LONGEST, merged=True)
    return done.stdout + (f"[exit status {done.returncode}]\n" if done.returncode else "")


def records(out: Path) -> list[dict]:
    """The records of a graded class, in the order of its learners."""
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return sorted(map(json.loads, lines), key=lambda record: record["submission"])


def row_of(exercise: Mapping, *names: str) -> list[str]:
    """What became of one exercise: status, points, how each check ended, the mistakes named."""
    outcomes = "".join(LETTERS[check["outcome"]] for check in exercise["checks"])
    named = " ".join(diagnosis["mistake"] for diagnosis in exercise["diagnosis"])
    return [*names, exercise["status"], f"{exercise['points']:g}", outcomes, named]


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
        print(kata("grade-class", handed_in, "--out", out, "--seed", SEED, *each)[-300:], file=sys.stderr)
        rows = [
            row_of(exercise, exercise["id"], list(sources[exercise["id"]])[number])
            for number, record in enumerate(records(out))
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


EXPORTS = ("csv", "canvas", "moodle", "gradescope", "junit", "github")
SHOWN = "hana_sato"
"""Of formats that have much for each learner, the part of this one is frozen."""
TEACHER = (
    "explain OUT hana_sato softmax",
    "explain OUT hana_sato scaled_scores",
    "override OUT hana_sato softmax 2 --reason appeal",
    "diff OUT",
)
LEARNER = (
    "", "list", "next", "check softmax --seed 7", "check self_attention --seed 7", "check masked_softmax -v --seed 7",
    "check split_heads --seed 7", "check 03_masks_and_dropout --seed 7", "", "hint split_heads", "hint masked_softmax",
    "hint masked_softmax", "solution softmax", "solution masked_softmax", "review softmax", "reset causal_mask", "list",
    "--help", "check --help",
)  # fmt: skip


def example_class() -> Files:
    """examples/class graded: its records as a table, its exports, and what commands print."""
    files: Files = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        out = place / "OUT"
        run = ["grade-class", ROOT / "examples" / "class", "--out", "OUT", "--seed", SEED]
        transcript = [("grade-class examples/class --out OUT", kata(*run, cwd=place))]
        graded = records(out)
        rows = [row_of(each, record["submission"]) for record in graded for each in record["exercises"]]
        ids = [each["id"] for record in graded for each in record["exercises"]]
        rows = [[row[0], id, *row[1:]] for row, id in zip(rows, ids, strict=True) if row[1] != "missing"]
        files["class.csv"] = as_table(["learner", "exercise", "status", "points", "checks", "mistakes"], rows)
        for name in EXPORTS:
            to = place / "export" / name
            to.parent.mkdir(exist_ok=True)
            transcript.append(
                (f"export OUT --format {name}", kata("export", "OUT", "--format", name, "--to", to, cwd=place))
            )
            written = to.read_text("utf-8") if to.is_file() else next(to.glob(f"*{SHOWN}*")).read_text("utf-8")
            files[f"exports/{name}"] = part_of(SHOWN, written)
        for words in TEACHER:
            transcript.append((words, kata(*words.split(), cwd=place)))
        files["teacher.txt"] = told(transcript, place)
        home = place / "home"
        home.mkdir()
        transcript = [("init attention", kata("init", "attention", cwd=place, home=home))]
        work = ROOT / "examples" / "class" / "bjarne_lindqvist" / "attention-kata"
        for path in work.rglob("*.py"):
            (place / "attention" / path.relative_to(work)).write_bytes(path.read_bytes())
        for words in LEARNER:
            transcript.append((words, kata(*words.split(), cwd=place / "attention", home=home)))
        files["learner.txt"] = told(transcript, place)
    return files


def part_of(learner: str, text: str) -> str:
    """One learner's suites of a JUnit file; any other text as it is."""
    if suites := re.findall(rf'<testsuite [^>]*name="{learner}".*?</testsuite>', text, re.S):
        text = "\n".join(suites).replace("><", ">\n<")
    return re.sub(r' time(stamp)?="[^"]*"|\s*"(duration|execution_time)": [^\n]*', "", text)


def told(transcript: Sequence[tuple[str, str]], place: Path) -> str:
    """Commands and what they printed, without what differs from run to run."""
    text = "".join(f"$ kata {words}\n{printed}\n" for words, printed in transcript)
    text = text.replace(str(place), "PLACE").replace(str(ROOT), "CLONE").replace(os.path.realpath(place), "PLACE")
    text = re.sub(
        r"\d+\.\d+ s\b|\d{4}-\d\d-\d\d[ T_]\d\d[:-]\d\d([:-]\d\d)?(\.\d+)?(Z|\+00:00)?|\d{4}-\d\d-\d\d", "TIME", text
    )
    return re.sub(r"[ \t]+\n", "\n", text)


MAKERS: Mapping[str, Callable[[], Files]] = {"answers": answers, "attacks": attacks, "class": example_class}


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
