"""Grade the reference solutions again and again with fresh hidden inputs: `python benchmarks/no_flicker.py [--runs N]`.

Every run must give full points; a check that fails by bad luck shows here. `--isolation` and the environment variable
ATEN_CPU_CAPABILITY (default, avx2) choose how and with which instructions the learner's side computes.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

from grader.course import load_course
from grader.judge.grading import Judge
from grader.results import MAX_SEED, Record
from grader.submission import Submission, read_submission

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Grade, count, name every failure with its seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--isolation", default="full", choices=["full", "reduced", "process"])
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    options = parser.parse_args()
    course = load_course(ROOT / "course.yml")
    submission = read_submission(ROOT / "solutions", course)
    judge = Judge(course, options.isolation, 0, options.only)
    failures = 0

    def fresh_seeds() -> Iterator[Submission]:
        for _ in range(options.runs):
            judge.seed = secrets.randbelow(MAX_SEED + 1)
            yield submission

    def take(record: Record) -> None:
        nonlocal failures
        for exercise in record.exercises:
            for check in exercise.checks:
                if check.outcome != "passed":
                    failures += 1
                    print(f"seed {record.seed}: {exercise.id}, {check.name}: {check.message}", flush=True)

    judge.grade(fresh_seeds(), take)
    judge.close()
    capability = os.environ.get("ATEN_CPU_CAPABILITY", "as the processor has it")
    terms = f"{options.isolation}, {capability}"
    print(f"{options.runs} runs of {len(judge.kits)} exercises ({terms}): {failures} failed checks")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
