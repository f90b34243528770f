"""Grade every mutant of the references and write docs/mutation.md: `python scripts/mutation.py [ID ...]`.

A mutant that passes is either no mistake, and tests/mutants/survivors.yml says why, or a gap in the checks; a gap makes
this script fail. With ids or --every, a part is graded and no report written.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml
from rich.progress import track

from grader.authoring.mutants import Mutant, mutants
from grader.course import Course, load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge
from grader.record import Record
from grader.sandbox.levels import Level

ROOT = Path(__file__).resolve().parent.parent
COURSE_FILE = ROOT / "course.yml"
REASONS_FILE = ROOT / "tests" / "mutants" / "survivors.yml"
REPORT = ROOT / "docs" / "mutation.md"
ROUNDS_AT_A_TIME = 16
SEED = 2026

Reasons = dict[str, list[dict[str, str]]]
Round = dict[str, Mutant]


@dataclass(frozen=True)
class Outcome:
    """What became of one mutant: `status` as in a record; "passed" means that it survived."""

    exercise: str
    operator: str
    line: int
    was: str
    now: str
    status: str


def grade_part(level: Level, rounds: Sequence[Round]) -> list[Outcome]:
    """In a process of its own: grade submissions of one mutant an exercise."""
    course = load_course(COURSE_FILE)
    judge = Judge(course, level, SEED, sorted({id for each in rounds for id in each}))
    records: list[Record] = []

    def submissions() -> Iterator[Submission]:
        for number, each in enumerate(rounds):
            sources = {
                id: SourceFile(id, course.exercise(id).file_name, mutant.source.encode()) for id, mutant in each.items()
            }
            yield Submission(f"mutants {number}", sources, ())

    try:
        judge.grade(submissions(), records.append)
    finally:
        judge.close()
    return [
        Outcome(result.id, mutant.operator, mutant.line, mutant.was, mutant.now, result.status)
        for each, record in zip(rounds, records, strict=True)
        for result in record.exercises
        if (mutant := each.get(result.id))
    ]


def planned_rounds(course: Course, ids: Sequence[str], every: int) -> list[Round]:
    """The mutants of the exercises, one of each at a time; with `every` above 1 only each so many-th."""
    chosen = {
        id: mutants(course.solution_path(course.exercise(id)).read_text(encoding="utf-8"))[every // 2 :: every]
        for id in ids
    }
    most = max(map(len, chosen.values()))
    return [{id: own[number] for id, own in chosen.items() if number < len(own)} for number in range(most)]


def grade_all(planned: Sequence[Round], level: Level, jobs: int) -> list[Outcome]:
    """Grade all mutants in several processes."""
    size = min(ROUNDS_AT_A_TIME, -(-len(planned) // jobs))
    parts = [planned[start : start + size] for start in range(0, len(planned), size)]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn) as pool:
        done = pool.map(partial(grade_part, level), parts)
        return [outcome for part in track(done, "Mutants", total=len(parts)) for outcome in part]


def main() -> None:
    """Grade, report, name the gaps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth mutant, as a quick look")
    parser.add_argument("--isolation", default="process", choices=["full", "reduced", "process"])
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    course = load_course(COURSE_FILE)
    ids = options.ids or [exercise.id for exercise in course.exercises]
    outcomes = grade_all(planned_rounds(course, ids, options.every), options.isolation, options.jobs)
    reasons: Reasons = yaml.safe_load(REASONS_FILE.read_text(encoding="utf-8")) or {}
    gaps = [o for o in outcomes if o.status == "error" or (o.status == "passed" and not reason_for(o, reasons))]
    for gap in gaps:
        print(f"{gap.exercise}:{gap.line}: {gap.operator} ({gap.status})\n  - {gap.was}\n  + {gap.now}")
    if not options.ids and options.every == 1 and not gaps:
        REPORT.write_text(report(course, outcomes, reasons), encoding="utf-8")
    survived = sum(outcome.status == "passed" for outcome in outcomes)
    print(f"{len(outcomes)} mutants of {len(ids)} exercises: {survived} survive, {len(gaps)} of them without a reason")
    sys.exit(bool(gaps))


def reason_for(outcome: Outcome, reasons: Reasons) -> str:
    """Why a survivor is no mistake, or nothing."""
    for entry in reasons.get(outcome.exercise, []):
        if (entry["was"], entry["now"]) == (outcome.was, outcome.now):
            return entry["why"]
    return ""


def report(course: Course, outcomes: Sequence[Outcome], reasons: Reasons) -> str:
    """The page: a table of the exercises, then each survivor with its reason."""
    rows, survivors = [], []
    for exercise in course.exercises:
        own = [outcome for outcome in outcomes if outcome.exercise == exercise.id]
        alive = [outcome for outcome in own if outcome.status == "passed"]
        caught = len(own) - len(alive)
        rows.append(f"| `{exercise.id}` | {len(own)} | {caught} | {len(alive)} | {100 * caught / len(own):.1f} % |")
        if alive:
            survivors.append(f"\n### `{exercise.id}`\n")
            survivors += [
                f"- {outcome.operator}: `{outcome.was}` → `{outcome.now}`: {reason_for(outcome, reasons)}"
                for outcome in alive
            ]
    total, caught = len(outcomes), sum(outcome.status != "passed" for outcome in outcomes)
    rows.append(f"| all | {total} | {caught} | {total - caught} | {100 * caught / total:.1f} % |")
    return "\n".join([HEAD, *rows, SURVIVORS, *survivors]) + "\n"


HEAD = """# Mutation testing of the checks

Each reference is changed by one small slip at a time: another operator, sign, constant, slice, comparison, variable or
attribute, a statement, call or argument left out, arguments or results in another order
(`grader/authoring/mutants.py`). The judge grades every such mutant like a submission. One that passes is either no
mistake, which the list below explains, or a gap in the checks; there is none of the latter. Written by
`python scripts/mutation.py`; `make test-all` grades a part of the mutants each time (`tests/mutants`).

| exercise | mutants | caught | survive | caught of all |
|---|---|---|---|---|"""

SURVIVORS = """
## What survives, and why it is no mistake"""


if __name__ == "__main__":
    main()
