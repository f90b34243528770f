"""Do right answers ever fail? Grades them again and again with fresh hidden inputs: `python benchmarks/no_flicker.py`.

Every run must give full points; a check that fails by bad luck shows here, with its seed. `--all` takes for each
exercise and run any of the references and alternatives; `--each N` has so many runs with one seed, whose plan takes
longer than they do. `--learner-cpu` and `--judge-cpu` choose with which instructions each side computes, as two
machines may differ. Ctrl-C ends early and reports what was done.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import sys

from answers import right_answers
from figures import ROOT

from grader.course import load_course
from grader.intake import SourceFile, Submission
from grader.record import MAX_SEED, Record

CAPABILITY = "ATEN_CPU_CAPABILITY"
"""Read by torch once, when it computes something for the first time."""
CPUS = ("default", "avx2", "avx512")


def choose_cpu(capability: str | None) -> None:
    """For what computes for the first time from now on."""
    os.environ.pop(CAPABILITY, None)
    if capability:
        os.environ[CAPABILITY] = capability


def main() -> None:
    """Grade, count, name every failure with its seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--each", type=int, default=1, metavar="N", help="runs with one seed")
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--leave-out", action="append", default=[], metavar="ID")
    parser.add_argument("--all", action="store_true", help="the alternatives too")
    parser.add_argument("--learner-cpu", choices=CPUS)
    parser.add_argument("--judge-cpu", choices=CPUS)
    options = parser.parse_args()
    course = load_course(ROOT / "course.yml")
    ids = options.only or [each.id for each in course.exercises if each.id not in options.leave_out]
    answers = {id: right_answers(course, course.exercise(id)) for id in ids}

    choose_cpu(options.judge_cpu)
    import torch

    torch.ones(3).exp()  # this is when the judge's side makes up its mind
    choose_cpu(options.learner_cpu)
    from grader.judge.grading import Judge

    judge = Judge(course, "full", 0, ids)  # and here the learner's side starts
    chance, done, failures = random.Random(1), 0, 0
    try:
        while done < options.runs:
            if done % options.each == 0:
                judge.seed = secrets.randbelow(MAX_SEED + 1)
            chosen = {id: chance.choice(list(own)) if options.all else "reference" for id, own in answers.items()}
            files = {id: SourceFile(id, f"{id}.py", answers[id][name].encode()) for id, name in chosen.items()}
            records: list[Record] = []
            judge.grade([Submission("right", files, ())], records.append)
            done += 1
            for exercise in records[0].exercises:
                for check in exercise.checks:
                    # a rewrite of a debug task works, and is more than a repair
                    if check.outcome != "passed" and exercise.status != "passed":
                        failures += 1
                        what = f"{exercise.id}, {chosen[exercise.id]}, {check.name}"
                        print(f"seed {judge.seed}: {what}: {check.message}", flush=True)
    except KeyboardInterrupt:
        print("Ended early.")
    judge.close()
    sides = f"learner {options.learner_cpu or 'native'}, judge {options.judge_cpu or 'native'}"
    print(f"{done} runs of {len(ids)} right answers ({sides}): {failures} failed checks")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
