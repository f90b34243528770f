"""Grade right answers again and again with fresh hidden inputs: `python benchmarks/no_flicker.py [--runs N]`.

Every run must give full points; a check that fails by bad luck shows here. `--answers` takes the references, or for
each exercise and run any of the references and alternatives. `--learner-cpu` and `--judge-cpu` choose with which
instructions each side computes, `--threads` how many threads the judge has (a worker always has one; with `--isolation
none` both sides are one process). Ctrl-C ends early and reports what was done.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from grader.course import Course, load_course
from grader.intake import SourceFile, Submission
from grader.judge.alternatives import load_alternatives
from grader.record import MAX_SEED, Record

ROOT = Path(__file__).resolve().parent.parent
CAPABILITY = "ATEN_CPU_CAPABILITY"
"""Read by torch once, when it computes something for the first time."""
CPUS = ("default", "avx2", "avx512")
TOLD_EVERY = 50
"""Runs; whoever stops it still knows how far it came."""


def main() -> None:
    """Grade, count, name every failure with its seed."""
    options = _options()
    course = load_course(ROOT / "course.yml")
    answers = right_answers(course, options.answers == "all")
    judge = _judge(course, options)
    chosen = random.Random(1)
    started, done, failures = time.monotonic(), 0, 0

    def submissions() -> Iterator[Submission]:
        for _ in range(options.runs):
            if time.monotonic() - started > options.minutes * 60:
                return
            judge.seed = secrets.randbelow(MAX_SEED + 1)
            sources = {}
            for id in judge.kits:
                sources[id] = chosen.choice(answers[id])
            taken.append(sources)
            yield Submission("right", sources, ())

    def take(record: Record) -> None:
        nonlocal done, failures
        done += 1
        if done % TOLD_EVERY == 0:
            print(f"{done} runs, {failures} failed checks so far", flush=True)
        sources = taken.pop()
        for exercise in record.exercises:
            for check in exercise.checks:
                # a rewrite of a debug task works, and is more than a repair
                if check.outcome != "passed" and exercise.status != "passed":
                    failures += 1
                    print(f"seed {record.seed}: {sources[exercise.id].name}, {check.name}: {check.message}", flush=True)

    taken: list[dict[str, SourceFile]] = []
    try:
        judge.grade(submissions(), take)
    except KeyboardInterrupt:
        print("Ended early.")
    judge.close()
    sides = f"learner {options.learner_cpu or 'native'}, judge {options.judge_cpu or 'native'}"
    terms = f"{options.isolation}, {sides}, {options.threads} thread{'s' * (options.threads > 1)}"
    minutes = (time.monotonic() - started) / 60
    what = "references" if options.answers == "references" else "right answers"
    print(f"{done} runs of {len(judge.kits)} {what} ({terms}), {minutes:.0f} minutes: {failures} failed checks")
    sys.exit(bool(failures))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many minutes")
    parser.add_argument("--isolation", default="full", choices=["full", "reduced", "process", "none"])
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--leave-out", action="append", default=[], metavar="ID")
    parser.add_argument("--answers", default="references", choices=["references", "all"])
    parser.add_argument("--learner-cpu", choices=CPUS)
    parser.add_argument("--judge-cpu", choices=CPUS)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def right_answers(course: Course, with_alternatives: bool) -> dict[str, list[SourceFile]]:
    """The files that must pass, by exercise."""
    answers = {}
    for exercise in course.exercises:
        written = {"reference": course.solution_path(exercise).read_text("utf-8")}
        if with_alternatives:
            written |= load_alternatives(course, exercise)
        answers[exercise.id] = [SourceFile(exercise.id, name, text.encode()) for name, text in written.items()]
    return answers


def _judge(course: Course, options: argparse.Namespace):
    _choose_cpu(options.judge_cpu)
    import torch

    torch.ones(3).exp()  # this is when the judge's side makes up its mind
    _choose_cpu(options.learner_cpu)
    from grader.judge.grading import Judge

    ids = options.only or [exercise.id for exercise in course.exercises if exercise.id not in options.leave_out]
    judge = Judge(course, options.isolation, 0, ids)  # and here the learner's side starts
    torch.set_num_threads(options.threads)
    return judge


def _choose_cpu(capability: str | None) -> None:
    os.environ.pop(CAPABILITY, None)
    if capability:
        os.environ[CAPABILITY] = capability


if __name__ == "__main__":
    main()
